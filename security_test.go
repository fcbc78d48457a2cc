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
	"os"
	"regexp"
	"strings"
	"testing"
)

// The threat model stays true: each row of SECURITY.md names tests, and its tests exist.
func TestThreatModelIsTested(t *testing.T) {
	document, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	// The packages of each test's name.
	tests := map[string]map[string]bool{}
	for _, f := range goFiles(t) {
		if !strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		for _, found := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllStringSubmatch(string(f.content), -1) {
			if tests[found[1]] == nil {
				tests[found[1]] = map[string]bool{}
			}
			tests[found[1]][f.folder()] = true
		}
	}
	rows := 0
	named := regexp.MustCompile("(?:([a-z0-9/-]+) )?`((?:Test|Fuzz)\\w+)`")
	for line := range strings.Lines(string(document)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "| ") || strings.HasSuffix(line, "| tests |\n") {
			continue
		}
		rows++
		folder, count := "", 0
		for _, found := range named.FindAllStringSubmatch(cells[len(cells)-1], -1) {
			if found[1] != "" {
				folder = found[1]
			}
			count++
			if test := found[2]; !tests[test][folder] {
				t.Errorf("%s: %s has no test %s, packages with one: %v", cells[0], folder, test, tests[test])
			}
		}
		if count == 0 {
			t.Errorf("no test of: %s", line)
		}
	}
	if rows < 15 {
		t.Errorf("SECURITY.md has %d rows", rows)
	}
}
