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
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// artifacts are the directories whose code writes into report directories.
var artifacts = []string{
	"reports", "reports/matrix", "framework/run", "framework/run/job", "framework/certify", "framework/soak", "framework/perf", "framework/prove",
	"framework/prove/checks", "framework/harness", "framework/harness/classicdra", "framework/harness/fabric", "framework/harness/simdriver",
	"framework/harness/undertest", "framework/companions/classic", "framework/companions/fabric", "upgrade/run", "upgrade/matrix", "clusters", "cmd/dratest",
}

// noArtifacts are files of these directories that are elsewhere.
var noArtifacts = map[string]string{
	"config.yaml": "of a program", "config-classic.yaml": "of a program", "devices.json": "of a program", "session.json": "in a temporary directory",
	"driver.yaml": "an input",
}

// TestFilesOfReportsAreDocumented: the table in docs/evidence.md has each file name in the code that
// writes report directories, and each file and directory of evidence.
func TestFilesOfReportsAreDocumented(t *testing.T) {
	content, err := os.ReadFile("docs/evidence.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(content), "## Files of a report directory")
	table, _, _ = strings.Cut(table, "\n## ")
	names := 0
	for _, folder := range artifacts {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, name := range writtenNames(t, file) {
				if _, elsewhere := noArtifacts[name]; elsewhere {
					continue
				}
				if names++; !strings.Contains(table, strings.NewReplacer("%03d-%s", "*", "%s", "*", "%d", "<n>").Replace(name)) {
					t.Errorf("%s writes %s, which is not in the table of docs/evidence.md", file, name)
				}
			}
		}
	}
	if names < 30 {
		t.Errorf("found %d names only", names)
	}
}

// fileName matches names of files.
var fileName = regexp.MustCompile(`^[a-zA-Z0-9_.*%-]*[a-zA-Z0-9*]\.(jsonl?|md|log|txt|ya?ml|html|xml|bench)$`)

// writtenNames returns the string literals of a file that are file names, and the directories of evidence.
func writtenNames(t *testing.T, file string) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	text := func(e ast.Expr) string {
		l, ok := e.(*ast.BasicLit)
		if !ok || l.Kind != token.STRING {
			return ""
		}
		value, _ := strconv.Unquote(l.Value) // the parser has accepted it
		return value
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && fileName.MatchString(text(l)) {
			names = append(names, text(l))
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		// evidence.File(filepath.Join("directory", …), …)
		if method, ok := call.Fun.(*ast.SelectorExpr); ok && (method.Sel.Name == "File" || method.Sel.Name == "Object") {
			if join, ok := call.Args[0].(*ast.CallExpr); ok && len(join.Args) > 0 && text(join.Args[0]) != "" {
				names = append(names, text(join.Args[0])+"/")
			}
		}
		return true
	})
	return names
}
