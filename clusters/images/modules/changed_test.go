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

package modules

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/dra-conformance/dratest/clusters/versions"
)

func TestChangedModulesAreReplaced(t *testing.T) {
	dir := t.TempDir()
	changed := Changed{Binary: Kubernetes(versions.Newest(), "kube-scheduler"), Modules: []string{"k8s.io/kubernetes", "k8s.io/dynamic-resource-allocation"}}
	if err := writeReplaced(dir, changed); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	replaced := map[string][]string{}
	for _, r := range mod.Replace {
		replaced[r.Old.Path] = append(replaced[r.Old.Path], r.New.Path)
	}
	for _, module := range changed.Modules {
		if got := replaced[module]; len(got) != 1 || got[0] != "./src/"+module {
			t.Errorf("%s is replaced by %q", module, got)
		}
	}
	if got := replaced["k8s.io/api"]; len(got) != 1 || got[0] != "k8s.io/api" {
		t.Errorf("k8s.io/api is replaced by %q", got)
	}
}
