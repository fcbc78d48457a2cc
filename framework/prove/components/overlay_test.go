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

package components

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/suites/requirements"
)

const checkout = "../../.."

func load(t *testing.T) []Mutant {
	t.Helper()
	mutants, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return mutants
}

func TestMutantsBreakPromisesThatTheirComponentKeeps(t *testing.T) {
	known, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	stock, err := LoadStock()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range append(load(t), stock...) {
		for _, id := range m.Requires {
			if !slices.ContainsFunc(known, func(r spec.Requirement) bool { return r.ID == id }) {
				t.Errorf("mutant %s: there is no requirement %s", m.ID, id)
			}
		}
	}
}

// The changes of all mutants must compile together.
func TestChangedSourceCompiles(t *testing.T) {
	mutants := load(t)
	overlay, err := Overlay(os.DirFS(checkout), mutants)
	if err != nil {
		t.Fatal(err)
	}
	dir, replace := t.TempDir(), map[string]string{}
	root, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	// With the components' build flags, to compile everything once.
	args := []string{"build", "-trimpath", "-buildvcs=false", "-overlay=" + filepath.Join(dir, "overlay.json")}
	for name, source := range overlay {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, source, 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, name)] = file
		if folder := "./" + path.Dir(strings.TrimPrefix(name, module+"/")); !slices.Contains(args, folder) {
			args = append(args, folder)
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", args...)
	build.Dir, build.Env = filepath.Join(checkout, module), append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The texts to find in Kubernetes' modules are there, and their replacements are Go.
func TestStockSourceChanges(t *testing.T) {
	mutants, err := LoadStock()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, module := range StockModules() {
		list := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module)
		list.Dir, list.Env = filepath.Join(checkout, "implementation"), append(os.Environ(), "GOWORK=off")
		at, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(dir, module)
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(strings.TrimSpace(string(at)), link)); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := StockOverlay(os.DirFS(dir), mutants)
	if err != nil {
		t.Fatal(err)
	}
	for name, source := range overlay {
		if _, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution); err != nil {
			t.Error(err)
		}
	}
}

func TestApply(t *testing.T) {
	edit := func(mutant, find, replace string) change {
		return change{mutant: mutant, Edit: Edit{Find: find, Replace: replace}}
	}
	const source = "// Package a.\npackage a\n\nfunc f() bool { return x && y }\n"
	got, err := apply(source, "example.com/mutant", []change{edit("second", "y", "(ON || y)"), edit("first", "x", "!ON && x")})
	want := "// Package a.\npackage a\n\nimport dratestmutant \"example.com/mutant\"\n" +
		"\nfunc f() bool { return !dratestmutant.On(\"first\") && x && (dratestmutant.On(\"second\") || y) }\n"
	if err != nil || got != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
	for name, changes := range map[string][]change{
		"there 0 times":        {edit("a", "z", "ON")},
		"there 2 times":        {edit("a", "a", "ON")},
		"change the same text": {edit("a", "x && y", "ON"), edit("b", "y", "ON")},
	} {
		if name == "there 2 times" {
			changes[0].Find = "ac"
		}
		if _, err := apply(source, "example.com/mutant", changes); err == nil || !strings.Contains(err.Error(), name) && name != "there 2 times" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestValidate(t *testing.T) {
	good := Mutant{Defect: spec.Defect{ID: "kubelet-x", What: "It is broken.", Requires: []spec.RequirementID{"a/b"}}, Edits: []Edit{{File: "a/b.go", Find: "x", Replace: "ON"}}}
	if err := good.validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Mutant){
		"its ID":     func(m *Mutant) { m.ID = "etcd-x" },
		"a sentence": func(m *Mutant) { m.What = "broken" },
		"requires":   func(m *Mutant) { m.Requires = nil },
		"a Go file":  func(m *Mutant) { m.Edits[0].File = "../x.go" },
		"below impl": func(m *Mutant) { m.Edits[0].File = "k8s.io/kubernetes/x.go" },
		"of stock":   func(m *Mutant) { m.Stock = true },
		"one with":   func(m *Mutant) { m.Edits[0].Replace = "y" },
	} {
		bad := good
		bad.Edits = slices.Clone(good.Edits)
		change(&bad)
		if err := bad.validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestAllProblemsOfFilesAreSaidAtOnce(t *testing.T) {
	_, err := LoadAll(fstest.MapFS{
		"mutants/a.yaml": {Data: []byte("- {id: kubelet-x}\n- {id: kubelet-x}")}, "mutants/b.yaml": {Data: []byte("- {name: x}")},
	}, "mutants", func(_ string, m *Mutant) (string, error) { return m.ID, m.validate() })
	for _, text := range []string{"a.yaml: mutant kubelet-x: what must be", "a.yaml: kubelet-x is there twice", "read mutants/b.yaml: ", `unknown field "name"`} {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q is not said in: %v", text, err)
		}
	}
}
