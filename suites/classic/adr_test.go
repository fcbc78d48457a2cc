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

package classic_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/suites"
	"github.com/dra-conformance/dratest/suites/sanity"
	upgradecases "github.com/dra-conformance/dratest/upgrade/cases"
)

// adr maps each statement of the documents about classic DRA to its successor and the case
// or unit test for it.
const adr = "../../docs/adr/0020-where-each-statement-of-classic-dra-went.md"

// statement is a table row of adr.
type statement struct{ text, fate, shownBy string }

func statements(text string) []statement {
	var found []statement
	in := false
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		in = in && strings.HasPrefix(line, "|") || strings.HasPrefix(line, "| Statement |")
		if !in || cells[0] == "Statement" || strings.HasPrefix(line, "|---") {
			continue
		}
		found = append(found, statement{cells[0], cells[1], cells[len(cells)-1]})
	}
	return found
}

var quoted = regexp.MustCompile("`([^`]+)`")

// unitTests returns the unit tests of classic DRA as "package.Test".
func unitTests(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	definition := regexp.MustCompile(`(?m)^func (Test\w+)\(t `)
	for _, pattern := range []string{"classic/*", "classic/*/*"} {
		files, err := filepath.Glob("../../implementation/" + pattern + "/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range definition.FindAllSubmatch(content, -1) {
				found[path.Base(path.Dir(filepath.ToSlash(file)))+"."+string(match[1])] = true
			}
		}
	}
	return found
}

func TestStatementsOfClassicDRAHaveTheirCases(t *testing.T) {
	content, err := os.ReadFile(adr)
	if err != nil {
		t.Fatal(err)
	}
	cases, tests, named := map[string]bool{}, unitTests(t), map[string]bool{}
	for _, c := range slices.Concat(run.Metas(suites.All()), upgradecases.Metas(), sanity.Metas()) {
		cases[c.ID] = true
	}
	for _, s := range statements(string(content)) {
		shown := false
		for _, match := range quoted.FindAllStringSubmatch(s.shownBy, -1) {
			switch name := match[1]; {
			case cases[name]:
				named[name], shown = true, true
			case tests[name]:
				shown = true
			default:
				t.Errorf("%q: there is no case or unit test %s", s.text, name)
			}
		}
		fate, _, _ := strings.Cut(s.fate, " ")
		switch {
		case fate != "kept" && fate != "mapped":
			if s.shownBy != "-" {
				t.Errorf("%q is %s, and shown by %s", s.text, s.fate, s.shownBy)
			}
		case shown == strings.HasPrefix(s.shownBy, "no case: "):
			t.Errorf("%q needs a case, a unit test, or \"no case: \" and why: got %q", s.text, s.shownBy)
		}
	}
	for _, c := range suites.All() {
		if c.Area() == "classic" && !named[c.ID] {
			t.Errorf("case %s shows no statement", c.ID)
		}
	}
}
