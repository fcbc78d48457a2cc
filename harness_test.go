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
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxT is how many exported functions cases may call with a T: methods of T and functions that take
// one. What few cases need is in packages below framework/harness.
const maxT = 70

// unresolved fails all imports: the types of other packages are not needed.
type unresolved struct{}

func (unresolved) Import(string) (*types.Package, error) { return nil, errors.New("not imported") }

// harness is the package framework/harness with the objects that each of its identifiers refers to.
func harness(t *testing.T) (*token.FileSet, *types.Package, map[*ast.Ident]types.Object) {
	t.Helper()
	names, err := filepath.Glob("framework/harness/*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset, files := token.NewFileSet(), []*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	uses := map[*ast.Ident]types.Object{}
	config := types.Config{Importer: unresolved{}, Error: func(error) {}}
	p, _ := config.Check("harness", fset, files, &types.Info{Uses: uses}) // errors are about imports
	return fset, p, uses
}

// TestHarnessFilesHaveFloors: no file of framework/harness uses declarations of a file that uses its
// own, directly or through others.
func TestHarnessFilesHaveFloors(t *testing.T) {
	fset, p, uses := harness(t)
	file := func(pos token.Pos) string { return filepath.Base(fset.Position(pos).Filename) }
	below := map[string]map[string]bool{}
	for id, o := range uses {
		from, to := file(id.Pos()), file(o.Pos())
		if o.Pkg() != p || from == to {
			continue
		}
		if below[from] == nil {
			below[from] = map[string]bool{}
		}
		below[from][to] = true
	}
	for _, top := range slices.Sorted(maps.Keys(below)) {
		reached := map[string]bool{}
		for next := slices.Collect(maps.Keys(below[top])); len(next) > 0; next = next[1:] {
			if !reached[next[0]] {
				reached[next[0]] = true
				next = slices.AppendSeq(next, maps.Keys(below[next[0]]))
			}
		}
		if reached[top] {
			t.Errorf("%s uses %v, and one of these uses it", top, slices.Sorted(maps.Keys(below[top])))
		}
	}
}

func TestTStaysSmall(t *testing.T) {
	_, p, _ := harness(t)
	pointer := types.NewPointer(p.Scope().Lookup("T").Type())
	var found []string
	for m := range types.NewMethodSet(pointer).Methods() {
		if m.Obj().Exported() {
			found = append(found, m.Obj().Name())
		}
	}
	for _, name := range p.Scope().Names() {
		f, is := p.Scope().Lookup(name).(*types.Func)
		if !is || !f.Exported() {
			continue
		}
		for v := range f.Signature().Params().Variables() {
			if types.Identical(v.Type(), pointer) {
				found = append(found, name)
			}
		}
	}
	if len(found) > maxT || len(found) < maxT/2 {
		t.Errorf("%d functions with a T, want at most %d: %v", len(found), maxT, found)
	}
}
