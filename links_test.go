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
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fences   = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```")
	links    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headings = regexp.MustCompile(`(?m)^#+ (.*)$`)
	unlinked = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors are the names of a document's headings, as GitHub makes them.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, h := range headings.FindAllStringSubmatch(fences.ReplaceAllString(text, ""), -1) {
		name := unlinked.ReplaceAllString(strings.ToLower(links.ReplaceAllString(h[1], "]")), "")
		all[strings.ReplaceAll(name, " ", "-")] = true
	}
	return all
}

// Relative links of documents lead to files and headings of this repository.
func TestLinksOfDocuments(t *testing.T) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), "_") || d.Name() == ".git" || d.Name() == "bin" || d.Name() == "dist" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, found := range links.FindAllStringSubmatch(fences.ReplaceAllString(string(text), ""), -1) {
			file, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(file, ":") {
				continue
			}
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", path, found[1])
				continue
			}
			if anchor == "" || filepath.Ext(target) != ".md" {
				continue
			}
			content, err := os.ReadFile(target)
			if err != nil {
				return err
			}
			if !anchors(string(content))[anchor] {
				t.Errorf("%s links to %s, which has no such heading", path, found[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
