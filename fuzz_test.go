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
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// No fuzz target is forgotten: .ci/fuzz finds those of all packages and modules.
func TestAllTargetsAreFuzzed(t *testing.T) {
	var want []string
	for _, f := range goFiles(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), f.name, f.content, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if function, ok := d.(*ast.FuncDecl); ok && function.Recv == nil && strings.HasPrefix(function.Name.Name, "Fuzz") {
				want = append(want, f.folder()+" "+function.Name.Name)
			}
		}
	}
	slices.Sort(want)
	out, err := exec.Command(".ci/fuzz", "--list").Output()
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(got)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf(".ci/fuzz --list (%v) has:\n%s\nexpected:\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A crash fails the step. Its input and the command that repeats it are artifacts.
func TestCrashIsKept(t *testing.T) {
	dir := checkout(t, ".ci/fuzz", "")
	for name, text := range map[string]string{
		"go.mod":           "module " + module + "\n\ngo 1.26\n",
		"good/a_test.go":   "package good\n\nimport \"testing\"\n\nfunc FuzzGood(f *testing.F) { f.Fuzz(func(*testing.T, bool) {}) }\n",
		"broken/a_test.go": "package broken\n\nimport \"testing\"\n\nfunc FuzzBroken(f *testing.F) {\n\tf.Fuzz(func(_ *testing.T, text string) {\n\t\tif text != \"\" {\n\t\t\tpanic(\"found it\")\n\t\t}\n\t})\n}\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(script string) (string, int) {
		cmd := exec.Command("bash", "-c", script)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	out, code := run(".ci/fuzz out 1")
	if code == 0 || !strings.Contains(out, "good FuzzGood: execs") || !strings.Contains(out, "== broken FuzzBroken failed") || !strings.Contains(out, "found it") {
		t.Errorf("code %d:\n%s", code, out)
	}
	if inputs, _ := filepath.Glob(filepath.Join(dir, "out/broken/testdata/fuzz/FuzzBroken/*")); len(inputs) != 1 {
		t.Errorf("%d inputs are kept: %q", len(inputs), inputs)
	}
	// The input comes from the artifacts of another machine.
	if out, code := run("rm -r broken/testdata && cp -r out/broken/testdata broken && . out/broken/FuzzBroken.sh"); code == 0 || !strings.Contains(out, "found it") {
		t.Errorf("repeated: code %d:\n%s", code, out)
	}
	if out, code := run(".ci/fuzz out 1 good && [ ! -e out/good ]"); code != 0 || strings.Contains(out, "broken") {
		t.Errorf("of one package: code %d:\n%s", code, out)
	}
	if _, code := run(".ci/fuzz out 1 missing"); code == 0 {
		t.Error("a package without targets passed")
	}
}
