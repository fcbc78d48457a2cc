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

package requirements

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

// documentsVariable names a directory with the documents' texts. File names do not matter, as texts
// are found by checksum.
const documentsVariable = "DRATEST_DOCUMENTS"

// normative matches lines likely to contain a promise.
var normative = regexp.MustCompile(`(?i)\b(must|shall|may not|required)\b`)

func TestRequirementsAreInALedger(t *testing.T) {
	all, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]bool{"plugin-api": true} // in the indexes of three protocols
	indexes, err := Indexes()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range indexes {
		read[l.Document] = true
	}
	for _, r := range all {
		document, _, _ := strings.Cut(string(r.ID), "/")
		elsewhere := strings.Contains(r.Section, "kubernetes#") || strings.Contains(r.Section, "k8s.io/")
		if read[document] && len(r.Sources) == 0 && !elsewhere {
			t.Errorf("no index has lines for %s, and its section names no other source", r.ID)
		}
	}
}

func TestLedgersDoNotContradictThemselves(t *testing.T) {
	indexes, err := Indexes()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range indexes {
		promises := linesWith(l, func(r Row) bool { return r.Nothing == "" })
		for line := range linesWith(l, func(r Row) bool { return r.Nothing != "" }) {
			if promises[line] {
				t.Errorf("index %s says of line %d that it promises something, and that it does not", l.Document, line)
			}
		}
	}
}

// TestIndexesAreComplete checks available documents: each non-empty line must be in the index,
// above all lines with a normative word.
func TestIndexesAreComplete(t *testing.T) {
	indexes, err := Indexes()
	if err != nil {
		t.Fatal(err)
	}
	texts := documents(t)
	for _, l := range indexes {
		text, ok := texts[l.SHA256]
		if !ok {
			t.Logf("%s is not at hand; %s can name a directory with it", l.Document, documentsVariable)
			continue
		}
		promises, known := linesWith(l, func(r Row) bool { return r.Nothing == "" }), linesWith(l, func(Row) bool { return true })
		words, promising := 0, 0
		for i, line := range strings.Split(text, "\n") {
			if normative.MatchString(line) {
				words++
				if promises[i+1] {
					promising++
				}
			}
			if strings.TrimSpace(line) != "" && !known[i+1] {
				t.Errorf("index %s lacks line %d", l.Document, i+1)
			}
		}
		t.Logf("%s: %d lines promise something; of %d with normative words %d do, and %d are explained", l.Document, len(promises), words, promising, words-promising)
	}
}

// documents returns texts of this module's dependencies and of the directory in documentsVariable, by
// checksum.
func documents(t *testing.T) map[string]string {
	t.Helper()
	var paths []string
	for module, names := range map[string][]string{
		"k8s.io/api":                         {"resource/v1/types.go"},
		"k8s.io/kubelet":                     {"pkg/apis/dra/v1/api.proto", "pkg/apis/dra-health/v1/api.proto", "pkg/apis/pluginregistration/v1/api.proto"},
		"k8s.io/dynamic-resource-allocation": {"api/metadata/doc.go", "kubeletplugin/doc.go", "kubeletplugin/draplugin.go", "kubeletplugin/health.go"},
	} {
		dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if err != nil {
			t.Fatalf("find module %s: %v", module, err)
		}
		for _, name := range names {
			paths = append(paths, filepath.Join(strings.TrimSpace(string(dir)), name))
		}
	}
	if folder := os.Getenv(documentsVariable); folder != "" {
		inFolder, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, inFolder...)
	}
	texts := map[string]string{}
	for _, p := range paths {
		content, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(content)
		texts[hex.EncodeToString(sum[:])] = string(content)
	}
	return texts
}

func linesWith(l Index, wanted func(Row) bool) map[int]bool {
	lines := map[int]bool{}
	for _, r := range l.Rows {
		for line := r.First; wanted(r) && line <= r.Last; line++ {
			lines[line] = true
		}
	}
	return lines
}

func TestParseLedger(t *testing.T) {
	const top = "document: d\nsha256: 0\n"
	l, err := parseIndex("# A comment.\n" + top + "\n3-5 kep-1/a kep-1/b\n5 - example\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Rows) != 2 || l.Rows[0].Last != 5 || len(l.Rows[0].Requirements) != 2 || l.Rows[1].Nothing != "example" {
		t.Errorf("got %+v", l.Rows)
	}
	for content, want := range map[string]string{
		"1 - x\n":                    "name the document",
		top + "x kep-1/a\n":          "begin a row with a line",
		top + "5-3 kep-1/a\n":        "no range",
		top + "5\n":                  "name requirements",
		top + "5 kep-1/a\n3 - why\n": "sort the rows",
	} {
		if _, err := parseIndex(content); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want something about %q", content, err, want)
		}
	}
}

func TestProblemsOfRequirements(t *testing.T) {
	good := spec.Requirement{ID: "kep-1/a", Level: spec.Must, Keeper: spec.Kubelet, Since: "v1.34", Section: "KEP-1", Text: "It holds."}
	if got := problemsOf(good); got != "" {
		t.Errorf("a good one: %s", got)
	}
	for want, change := range map[string]func(*spec.Requirement){
		"needs an id":    func(r *spec.Requirement) { r.ID = "a" },
		"full stop":      func(r *spec.Requirement) { r.Text = "It holds" },
		"has level":      func(r *spec.Requirement) { r.Level = "must" },
		"has keeper":     func(r *spec.Requirement) { r.Keeper = "etcd" },
		"has since":      func(r *spec.Requirement) { r.Since = "1.34" },
		"the difference": func(r *spec.Requirement) { r.Differs = "It is otherwise." },
	} {
		r := good
		change(&r)
		if got := problemsOf(r); !strings.Contains(got, want) {
			t.Errorf("got %q, want something about %q", got, want)
		}
	}
}
