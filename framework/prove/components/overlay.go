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

package components

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	// module is the directory of the components in a checkout, and modulePath its name.
	module     = "implementation"
	modulePath = "github.com/dra-conformance/dratest/implementation"
	// switchFolder is the directory for the package with the active mutant; switchName is its name in changed files.
	switchFolder = "mutant"
	switchName   = "dratestmutant"
	// library is the module of the switch in stock components: all others with mutants require it.
	library = "k8s.io/dynamic-resource-allocation"
)

//go:embed mutant/mutant.go
var switchSource []byte

type change struct {
	Edit

	mutant     string
	start, end int // in the file as it is
}

// Overlay returns the files to replace in a checkout to build components with all mutants, by path. All of its
// problems are in one error.
func Overlay(checkout fs.FS, mutants []Mutant) (map[string][]byte, error) {
	return source{files: checkout, dir: module, switchModule: module, switchImport: path.Join(modulePath, switchFolder)}.overlay(mutants)
}

// StockModules are the modules of Kubernetes with mutants.
func StockModules() []string { return []string{"k8s.io/kubernetes", library} }

// StockOverlay is Overlay for mutants of LoadStock; modules has the directories of StockModules, by their paths.
func StockOverlay(modules fs.FS, mutants []Mutant) (map[string][]byte, error) {
	return source{files: modules, switchModule: library, switchImport: path.Join(library, switchFolder)}.overlay(mutants)
}

// source is the source of components: their files are below dir, and the switch is added to switchModule.
type source struct {
	files                           fs.FS
	dir, switchModule, switchImport string
}

func (s source) overlay(mutants []Mutant) (map[string][]byte, error) {
	byFile := map[string][]change{}
	for _, m := range mutants {
		for _, e := range m.Edits {
			byFile[e.File] = append(byFile[e.File], change{Edit: e, mutant: m.ID})
		}
	}
	overlay := map[string][]byte{path.Join(s.switchModule, switchFolder, "mutant.go"): switchSource}
	var errs []error
	for file, changes := range byFile {
		name := path.Join(s.dir, file)
		text, err := fs.ReadFile(s.files, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("read the files of mutant %s: %w", changes[0].mutant, err))
			continue
		}
		changed, err := apply(string(text), s.switchImport, changes)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
		overlay[name] = []byte(changed)
	}
	return overlay, errors.Join(errs...)
}

func apply(source, switchImport string, changes []change) (string, error) {
	var errs []error
	for i := range changes {
		c := &changes[i]
		if c.start, c.end = c.At, c.At+len(c.Find); c.At > 0 && c.end <= len(source) && source[c.start:c.end] == c.Find {
			continue
		}
		if n := strings.Count(source, c.Find); n != 1 {
			errs = append(errs, fmt.Errorf("mutant %s: the text to find is there %d times instead of once: %q", c.mutant, n, c.Find))
			continue
		}
		c.start = strings.Index(source, c.Find)
		c.end = c.start + len(c.Find)
	}
	if len(errs) > 0 {
		return "", errors.Join(errs...)
	}
	slices.SortFunc(changes, func(a, b change) int { return a.start - b.start })
	var out strings.Builder
	last := 0
	for i, c := range changes {
		if c.start < last {
			errs = append(errs, fmt.Errorf("mutants %s and %s change the same text", changes[i-1].mutant, c.mutant))
			continue
		}
		out.WriteString(source[last:c.start])
		out.WriteString(on.ReplaceAllLiteralString(c.Replace, fmt.Sprintf("%s.On(%q)", switchName, c.mutant)))
		last = c.end
	}
	out.WriteString(source[last:])
	return withImport(out.String(), switchImport), errors.Join(errs...)
}

var packageClause = regexp.MustCompile(`(?m)^package \w+\n`)

// withImport adds the import of the switch after the package clause.
func withImport(source, switchImport string) string {
	clause := packageClause.FindString(source)
	return strings.Replace(source, clause, fmt.Sprintf("%s\nimport %s %q\n", clause, switchName, switchImport), 1)
}
