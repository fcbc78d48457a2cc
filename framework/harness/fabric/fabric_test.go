/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package fabric

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/spec"
)

// The end of the log was in the steps, where nobody looked, and its beginning was missing.
func TestControllersLogIsAFileOfTheEvidence(t *testing.T) {
	f := harnesstest.New(t, spec.Meta{}, &harness.Env{})
	logs := t.TempDir()
	if err := os.WriteFile(filepath.Join(logs, "controller.log"), []byte("Asked for a device\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	c := &Fabric{t: f.T}
	c.keepLog(logs)
	f.AddEvidence(c.gather)
	f.Fails(t, func() { f.Fatalf("it fails") })

	read := func(name string) string {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(f.Env().ReportDir, "cases", "area.case", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	if got := read("controller.log"); got != "Asked for a device\n" {
		t.Errorf("controller.log: %q", got)
	}
	if got := read("steps.txt"); strings.Contains(got, "Asked for a device") {
		t.Errorf("steps.txt has the log, too:\n%s", got)
	}
	if _, err := os.Stat(logs); !os.IsNotExist(err) {
		t.Errorf("the directory of the log is left: %v", err)
	}
}
