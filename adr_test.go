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
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDecisionsAreNumbered: docs/adr has one numbering, one form, and an index with a row for
// each record, and what the tree says of records is about some that exist.
func TestDecisionsAreNumbered(t *testing.T) {
	files, err := filepath.Glob("docs/adr/0*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	form := regexp.MustCompile(`^# (\d+)\. (.+)\n\nDate: (\d{4}-\d\d-\d\d)\n\nStatus: (.+)\n\n`)
	var rows strings.Builder
	for i, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := form.FindStringSubmatch(string(content))
		if found == nil || found[1] != fmt.Sprint(i+1) || !strings.HasPrefix(filepath.Base(file), fmt.Sprintf("%04d-", i+1)) {
			t.Errorf("%s: expected number %d, with a title, Date and Status as in docs/adr/README.md", file, i+1)
			continue
		}
		fmt.Fprintf(&rows, "| [%s. %s](%s) | %s | %s |\n", found[1], found[2], filepath.Base(file), found[3], found[4])
	}
	index, err := os.ReadFile("docs/adr/README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(index, []byte("|---|---|---|\n"+rows.String())) {
		t.Errorf("docs/adr/README.md: expected the rows\n%s", rows.String())
	}
	for _, f := range goFiles(t) {
		for _, number := range regexp.MustCompile(`docs/adr/(\d{4})`).FindAllSubmatch(f.content, -1) {
			if named, _ := filepath.Glob(fmt.Sprintf("docs/adr/%s-*.md", number[1])); len(named) != 1 {
				t.Errorf("%s names docs/adr/%s, which does not exist", f.name, number[1])
			}
		}
	}
}
