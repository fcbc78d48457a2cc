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

package dratest_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// TestModulesShareVersions: the modules of this repository require one version of each
// dependency. With another version of golang.org/x/net, everything above it is compiled twice.
func TestModulesShareVersions(t *testing.T) {
	type requirement struct{ file, version string }
	first := map[string]requirement{}
	for _, folder := range []string{".", "difftest", "implementation", "implementation/bench/karpenter", "examples/vendor", "reports/render/html/web"} {
		file := strings.TrimPrefix(folder+"/go.mod", "./")
		out, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json", file).Output()
		if err != nil {
			t.Fatalf("read %s: %v", file, err)
		}
		var parsed struct {
			Require []struct{ Path, Version string }
			Replace []struct {
				Old struct{ Path string }
				New struct{ Version string }
			}
		}
		if err := json.Unmarshal(out, &parsed); err != nil {
			t.Fatalf("read %s: %v", file, err)
		}
		replaced := map[string]string{}
		for _, r := range parsed.Replace {
			replaced[r.Old.Path] = r.New.Version
		}
		for _, r := range parsed.Require {
			version := r.Version
			if other, ok := replaced[r.Path]; ok {
				version = other
			}
			if strings.HasPrefix(r.Path, module) || version == "" {
				continue
			}
			if known, ok := first[r.Path]; !ok {
				first[r.Path] = requirement{file, version}
			} else if known.version != version {
				t.Errorf("%s requires %s %s, %s requires %s: run \"go get\" and \"go mod tidy\" for one version", file, r.Path, version, known.file, known.version)
			}
		}
	}
}
