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
