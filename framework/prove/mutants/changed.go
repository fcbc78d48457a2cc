package mutants

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/components"
)

// Changed is the part of a proof that is about some files of a checkout, which are relative
// to its root: mutants that change one of them, and mutants that a case must notice which one
// of them has. They are in the order of the files, those of the same file in that of the
// proof. The cases in the files are its watchers. Files that are not there any more are about
// nothing; one that cannot be read is an error.
func Changed(p prove.Proof, ofComponents []components.Mutant, root fs.FS, files []string) (prove.Proof, error) {
	edited := map[string][]string{} // files, by mutant
	for _, m := range ofComponents {
		for _, e := range m.Edits {
			edited[m.ID] = append(edited[m.ID], path.Join("implementation", e.File))
		}
	}
	all, watchers := p.Trials, p.Watchers
	p.Trials, p.Watchers = nil, nil
	for _, file := range files {
		cases, err := casesIn(root, file, watchers)
		if err != nil {
			return p, err
		}
		for _, id := range cases {
			if !slices.Contains(p.Watchers, id) {
				p.Watchers = append(p.Watchers, id)
			}
		}
		for _, t := range all {
			about := slices.Contains(edited[t.ID], file) || slices.ContainsFunc(cases, func(id string) bool { return slices.Contains(t.Must, id) })
			if about && !slices.ContainsFunc(p.Trials, func(known prove.Trial) bool { return known.ID == t.ID }) {
				p.Trials = append(p.Trials, t)
			}
		}
	}
	return p, nil
}

// casesIn are those of some cases whose ID, in quotes, a file of the suites has.
func casesIn(root fs.FS, file string, cases []string) ([]string, error) {
	if !strings.HasPrefix(file, "suites/") || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
		return nil, nil
	}
	text, err := fs.ReadFile(root, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for cases: %w", err)
	}
	var in []string
	for _, id := range cases {
		if bytes.Contains(text, []byte(`"`+id+`"`)) {
			in = append(in, id)
		}
	}
	return in, nil
}
