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

package own_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/own"
)

func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBuildsFromTheCheckoutAround(t *testing.T) {
	root, out := t.TempDir(), t.TempDir()
	write(t, root, map[string]string{
		"go.mod":                "module github.com/dra-conformance/dratest\n\ngo 1.25\n",
		"cmd/tool/main.go":      "package main\n\nfunc main() {}\n",
		"implementation/go.mod": "module github.com/dra-conformance/dratest/implementation\n",
		"implementation/x/y":    "",
	})
	for _, dir := range []string{root, filepath.Join(root, "cmd"), filepath.Join(root, "implementation", "x")} {
		path, err := own.Binary(t.Context(), "tool", out, own.Where{Dirs: []string{t.TempDir(), dir}, BinDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode()&0o100 == 0 {
			t.Errorf("from %s: %v, %v", dir, info, err)
		}
	}
}

func TestTakesTheProgramBeside(t *testing.T) {
	bin := t.TempDir()
	write(t, bin, map[string]string{"tool": "x"})
	path, err := own.Binary(t.Context(), "tool", t.TempDir(), own.Where{Dirs: []string{t.TempDir()}, BinDir: bin})
	if err != nil || path != filepath.Join(bin, "tool") {
		t.Errorf("got %q, %v", path, err)
	}
}

func TestWithoutGoTakesTheProgramBeside(t *testing.T) {
	root, bin := t.TempDir(), t.TempDir()
	write(t, root, map[string]string{"go.mod": "module github.com/dra-conformance/dratest\n"})
	write(t, bin, map[string]string{"tool": "x"})
	t.Setenv("PATH", t.TempDir())
	where := own.Where{Dirs: []string{root}, BinDir: bin}
	if path, err := own.Binary(t.Context(), "tool", t.TempDir(), where); err != nil || path != filepath.Join(bin, "tool") {
		t.Errorf("got %q, %v", path, err)
	}
	if _, err := own.Binary(t.Context(), "other", t.TempDir(), where); !errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("neither Go nor program: %v", err)
	}
}

func TestFactsOfAProgramOfAnotherModule(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"go.mod":                           "module github.com/dra-conformance/dratest\n",
		"implementation/go.mod":            "module x\n\nrequire (\n\ta/b v1.2.3\n)\n\nreplace a/b => a/b v0.0.1\n",
		"implementation/cmd/t/config.yaml": "a: b\n",
	})
	s, err := own.Find(own.Program{Name: "t", Module: "implementation"}, own.Where{Dirs: []string{root}, BinDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Requires("a/b"); err != nil || got != "v1.2.3" {
		t.Errorf("requires %q, %v", got, err)
	}
	if _, err := s.Requires("a/c"); err == nil {
		t.Error("requires what it does not")
	}
	if got, err := s.File("config.yaml"); err != nil || string(got) != "a: b\n" {
		t.Errorf("configuration %q, %v", got, err)
	}
}

func TestFactsOfAProgramBeside(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"go.mod":        "module github.com/dra-conformance/dratest\n\nrequire a/b v1.2.3\n\nreplace a/b => ./b\n",
		"cmd/t/main.go": "package main\n\nimport _ \"a/b\"\n\nfunc main() {}\n",
		"b/go.mod":      "module a/b\n",
		"b/b.go":        "package b\n",
	})
	built, err := own.Binary(t.Context(), "t", t.TempDir(), own.Where{Dirs: []string{root}, BinDir: root})
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Dir(built)
	write(t, bin, map[string]string{"t.yaml": "a: b\n"})
	s, err := own.Find(own.Program{Name: "t"}, own.Where{Dirs: []string{t.TempDir()}, BinDir: bin})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Requires("a/b"); err != nil || got != "v1.2.3" {
		t.Errorf("requires %q, %v", got, err)
	}
	if got, err := s.File("config.yaml"); err != nil || string(got) != "a: b\n" {
		t.Errorf("configuration %q, %v", got, err)
	}
	if path, err := s.Build(t.Context(), t.TempDir()); err != nil || path != filepath.Join(bin, "t") {
		t.Errorf("built %q, %v", path, err)
	}
}

func TestNeitherCheckoutNorProgram(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"go.mod": "module example.com/vendor\n"})
	_, err := own.Binary(t.Context(), "tool", t.TempDir(), own.Where{Dirs: []string{root}, BinDir: t.TempDir()})
	if !errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("got %v", err)
	}
}

func TestBuildsWithChanges(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"go.mod":        "module github.com/dra-conformance/dratest\n\ngo 1.25\n",
		"cmd/t/main.go": "package main\n\nfunc main() { print(\"as it is\") }\n",
	})
	p := own.Program{Name: "t", Overlay: map[string][]byte{
		"cmd/t/main.go":  []byte("package main\n\nimport \"github.com/dra-conformance/dratest/added\"\n\nfunc main() { print(added.Text) }\n"),
		"added/added.go": []byte("package added\n\nconst Text = \"changed\"\n"),
	}}
	s, err := own.Find(p, own.Where{Dirs: []string{root}, BinDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	path, err := s.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), path).CombinedOutput(); err != nil || string(out) != "changed" {
		t.Errorf("it says %q, %v", out, err)
	}
	bin := t.TempDir()
	write(t, bin, map[string]string{"t": "x"})
	if _, err := own.Find(p, own.Where{Dirs: []string{t.TempDir()}, BinDir: bin}); !errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("a program that is built already cannot be changed: %v", err)
	}
}
