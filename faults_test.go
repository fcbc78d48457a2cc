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
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Tests get other names, and tables do not.
func TestFaultsAreProven(t *testing.T) {
	table, err := os.ReadFile(filepath.Join(root, "implementation/kubelet/FAULTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, f := range goFiles(t) {
		if strings.HasPrefix(f.name, "implementation/") && strings.HasSuffix(f.name, "_test.go") {
			for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(f.content, -1) {
				known[string(found[1])] = true
			}
		}
	}
	for _, name := range regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(string(table), -1) {
		if !known[name] {
			t.Errorf("there is no %s", name)
		}
	}
}
