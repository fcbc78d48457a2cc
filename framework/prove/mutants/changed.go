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

package mutants

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/components"
)

// ChangedFirst reorders the proof to begin with those mutants matching only that concern changes of a checkout since
// a commit, observed by the changed cases; it returns their IDs.
func (s *Set) ChangedFirst(ctx context.Context, checkout, commit string, only []string) ([]string, error) {
	named, err := prove.Options{Only: only}.Select(s.Proof)
	if err != nil {
		return nil, err
	}
	files, err := changedFiles(ctx, checkout, commit)
	if err != nil {
		return nil, err
	}
	changed, err := about(prove.Proof{Trials: named, Observers: s.Proof.Observers}, s.Components, os.DirFS(checkout), files)
	if err != nil {
		return nil, err
	}
	ids := prove.IDs(changed.Trials)
	others := slices.DeleteFunc(slices.Clone(s.Proof.Trials), func(t prove.Trial) bool { return slices.Contains(ids, t.ID) })
	s.Proof.Trials, s.Proof.Observers = slices.Concat(changed.Trials, others), changed.Observers
	return ids, nil
}

// changedFiles returns the files below a directory of a git repository changed since a commit, relative to the
// directory: uncommitted ones, then those of each commit, latest first. Files may be repeated; changes only in a
// merge are missing.
func changedFiles(ctx context.Context, dir, commit string) ([]string, error) {
	var files []string
	for _, args := range [][]string{
		{"ls-files", "-z", "--others", "--exclude-standard"},
		{"diff", "-z", "--name-only", "--relative", "HEAD"},
		{"log", "-z", "--format=", "--name-only", "--relative", "--end-of-options", commit + "..HEAD", "--"},
	} {
		out, err := command.Run(ctx, command.Cmd{Args: append([]string{"git"}, args...), Dir: dir})
		switch {
		case err == nil:
		case command.NotFound(err):
			return nil, fmt.Errorf("%w: --changed-since asks git: install it: %w", clusters.ErrEnvironment, err)
		case args[0] == "log" && ctx.Err() == nil:
			return nil, clusters.Usage(fmt.Errorf("see what has changed since %s: %w", commit, err))
		default:
			return nil, fmt.Errorf("%w: ask git what has changed: %w", clusters.ErrEnvironment, err)
		}
		files = append(files, strings.FieldsFunc(out, func(r rune) bool { return r == 0 })...)
	}
	return files, nil
}

// about returns the part of a proof about some files of a checkout, relative to its root: mutants changing one of
// them, and mutants to be detected by a case in them. They are in the order of the files and, for each file, of the
// proof. The cases in the files are its observers. Deleted files are ignored; an unreadable one is an error.
func about(p prove.Proof, ofComponents []components.Mutant, root fs.FS, files []string) (prove.Proof, error) {
	edited := map[string][]string{} // files, by mutant
	for _, m := range ofComponents {
		for _, e := range m.Edits {
			edited[m.ID] = append(edited[m.ID], path.Join("implementation", e.File))
		}
	}
	all, watchers := p.Trials, p.Observers
	p.Trials, p.Observers = nil, nil
	for _, file := range files {
		cases, err := casesIn(root, file, watchers)
		if err != nil {
			return p, err
		}
		for _, id := range cases {
			if !slices.Contains(p.Observers, id) {
				p.Observers = append(p.Observers, id)
			}
		}
		for _, t := range all {
			matches := slices.Contains(edited[t.ID], file) || slices.ContainsFunc(cases, func(id string) bool { return slices.Contains(t.Must, id) })
			if matches && !slices.ContainsFunc(p.Trials, func(known prove.Trial) bool { return known.ID == t.ID }) {
				p.Trials = append(p.Trials, t)
			}
		}
	}
	return p, nil
}

// casesIn returns the cases with their quoted ID in a file of the suites.
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
