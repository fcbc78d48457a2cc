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

package combined

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/prove/components"
)

// Candidate is a possible mutant.
type Candidate struct {
	components.Mutant
	// Operator is the kind of bug.
	Operator string

	start, end int // of the changed text
}

// Folders returns the directories of the mutated packages, relative to implementation/.
func Folders() []string { return []string{"allocator", "scheduler"} }

// Candidates returns all mutants of the source in implementation/, in the order of the files.
func Candidates(implementation fs.FS) ([]Candidate, error) {
	var all []Candidate
	for _, folder := range Folders() {
		names, err := fs.Glob(implementation, folder+"/*.go")
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", folder, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			source, err := fs.ReadFile(implementation, name)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", name, err)
			}
			found, err := candidatesIn(name, source)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// Draw selects candidates by a seed, about equally many of each operator. No two change the same text.
func Draw(all []Candidate, seed uint64, count int) []Candidate {
	random := rand.New(rand.NewPCG(seed, 0))
	byOperator := map[string][]Candidate{}
	var operators []string
	for _, i := range random.Perm(len(all)) {
		operator := all[i].Operator
		if byOperator[operator] == nil {
			operators = append(operators, operator)
		}
		byOperator[operator] = append(byOperator[operator], all[i])
	}
	slices.Sort(operators)
	var drawn []Candidate
	for left := true; left; {
		left = false
		for _, operator := range operators {
			for queue := byOperator[operator]; len(queue) > 0 && len(drawn) < count; {
				next := queue[0]
				queue = queue[1:]
				byOperator[operator] = queue
				if !slices.ContainsFunc(drawn, next.overlaps) {
					drawn, left = append(drawn, next), true
					break
				}
			}
		}
	}
	return drawn
}

// Mutants returns the mutants of candidates.
func Mutants(drawn []Candidate) []components.Mutant {
	var all []components.Mutant
	for _, c := range drawn {
		all = append(all, c.Mutant)
	}
	return all
}

func (c Candidate) overlaps(other Candidate) bool {
	return c.Edits[0].File == other.Edits[0].File && c.start < other.end && other.start < c.end
}

// finder collects the candidates of a file.
type finder struct {
	name   string
	source []byte
	file   *token.File
	found  []Candidate
}

func candidatesIn(name string, source []byte) ([]Candidate, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, name, source, 0)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", name, err)
	}
	f := &finder{name: name, source: source, file: files.File(parsed.Pos())}
	for _, d := range parsed.Decls {
		if function, ok := d.(*ast.FuncDecl); ok && function.Body != nil {
			ast.Inspect(function.Body, f.visit)
			f.loops(function.Body, false)
		}
	}
	slices.SortStableFunc(f.found, func(a, b Candidate) int { return cmp.Compare(a.start, b.start) })
	return f.found, nil
}

func (f *finder) text(n ast.Node) string {
	return string(f.source[f.file.Offset(n.Pos()):f.file.Offset(n.End())])
}

// add adds a mutant replacing a node.
func (f *finder) add(operator string, n ast.Node, replace string) {
	start, end := f.file.Offset(n.Pos()), f.file.Offset(n.End())
	at := f.file.Position(n.Pos())
	c := Candidate{Operator: operator, start: start, end: end}
	base := strings.TrimSuffix(strings.ReplaceAll(path.Base(f.name), "_", "-"), ".go")
	c.ID = fmt.Sprintf("scheduler-%s-%s-%d-%d", base, operator, at.Line, at.Column)
	what := strings.Join(strings.Fields(string(f.source[start:end])), " ")
	if r := []rune(what); len(r) > 90 {
		what = string(r[:90]) + "…"
	}
	c.What = fmt.Sprintf("%s: %s:%d: %s", operator, f.name, at.Line, what)
	if bytes.Contains(f.source[start:end], []byte("//")) {
		return // A comment would hide the rest of the line.
	}
	c.Edits = []components.Edit{{File: f.name, Find: string(f.source[start:end]), Replace: replace, At: start}}
	f.found = append(f.found, c)
}
