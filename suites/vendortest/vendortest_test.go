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

package vendortest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
)

// reported is a test recording its messages.
type reported struct{ logs, errors []string }

func (t *reported) Logf(format string, args ...any) {
	t.logs = append(t.logs, fmt.Sprintf(format, args...))
}
func (t *reported) Errorf(format string, args ...any) {
	t.errors = append(t.errors, fmt.Sprintf(format, args...))
}

func TestOutcomesAsTests(t *testing.T) {
	for _, tc := range []struct {
		outcome      spec.Outcome
		logs, errors string
	}{
		{spec.Outcome{Status: spec.Passed}, "", ""},
		{spec.Outcome{Status: spec.NotApplicable, Reason: "needs two devices"}, "not applicable: needs two devices", ""},
		{spec.Outcome{Status: spec.Failed, Failure: "no CDI spec"}, "", "no CDI spec"},
		{spec.Outcome{Status: spec.Blocked, Reason: "all devices are held"}, "", "Blocked: all devices are held "},
	} {
		var got reported
		report(&got, tc.outcome)
		if d := cmp.Diff([]string{tc.logs, tc.errors}, []string{strings.Join(got.logs, ""), strings.Join(got.errors, "")}); d != "" {
			t.Errorf("%s: %s", tc.outcome.Status, d)
		}
	}
}

const declaration = `
identity: {organization: o, project: p, version: v1}
driver: gpu.example.com
classes: [{name: gpu, devicesPerNode: 1}]
nodes: {kubeletRoot: /data/kubelet}
config: {valid: [{a: b}]}
workload: {present: [x], absent: [y]}
`

func TestDeclarationOfADriverOnThisMachine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "driver.yaml")
	if err := os.WriteFile(file, []byte(declaration), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	if s := local(d); s.Socket != "/data/kubelet/plugins/gpu.example.com/dra*.sock" || s.RegistryDir != "/data/kubelet/plugins_registry" {
		t.Errorf("sockets are looked for in %+v", s)
	}
	d.Nodes.KubeletRoot = ""
	if s := local(d); s.RegistryDir != "/var/lib/kubelet/plugins_registry" {
		t.Errorf("sockets are looked for in %+v", s)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(declaration, "driver:", "drivr:", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := read(file); err == nil || !strings.Contains(err.Error(), `did you mean "driver"`) {
		t.Errorf("a typo: %v", err)
	}
	if _, err := sanityOptions(d, filepath.Join(t.TempDir(), "none"), "n"); err == nil {
		t.Error("a nonexistent kubeconfig was read")
	}
}
