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

package access_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/companions/classic"
	"github.com/dra-conformance/dratest/framework/testbed/access"
)

const module = "github.com/dra-conformance/dratest/"

// A case may be added without updating the rules. Requests through a REST client, or of objects of unknown type, are
// left to "dratest prove access".
func TestTheSourceAsksForNothingThatTheRulesLack(t *testing.T) {
	has := access.Of(slices.Concat(access.Rules(true), classic.Rules(), access.PoolRequests(), access.PodGroups()))
	calls := 0
	for _, p := range sources(t) {
		for right, where := range p.rights(t) {
			calls++
			if !slices.Contains(has, right) {
				t.Errorf("%s: rules.go does not have the right to %s", where, right)
			}
		}
	}
	if calls < 50 {
		t.Errorf("found only %d rights in the source: is it read rightly?", calls)
	}
}

// source is a package with API calls to check.
type source struct {
	ImportPath, Dir, Export string
	GoFiles, Imports        []string

	exports map[string]string
	files   *token.FileSet
	info    types.Info
	// other are variables holding a client for another user.
	other map[types.Object]bool
}

// sources are the packages of cases, their dependencies and their environment.
func sources(t *testing.T) []*source {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Imports",
		module+"suites", module+"framework/monitor", module+"framework/testbed", module+"drivers/sim/deploy")
	command.Stderr = os.Stderr
	listed, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	byPath, exports := map[string]*source{}, map[string]string{}
	for decoder := json.NewDecoder(listed); ; {
		var p source
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		byPath[p.ImportPath], exports[p.ImportPath] = &p, p.Export
	}
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
	var found []*source
	for path, p := range byPath {
		isCase := strings.HasPrefix(path, module+"suites/") && slices.Contains(byPath[module+"suites"].Imports, path)
		around := []string{"framework/harness", "framework/monitor", "framework/probe", "framework/testbed", "drivers/sim/deploy"}
		if p.exports = exports; isCase || slices.Contains(around, strings.TrimPrefix(path, module)) {
			found = append(found, p)
		}
	}
	return found
}

// rights are the rights needed by the source, and where.
func (p *source) rights(t *testing.T) map[access.Right]string {
	t.Helper()
	p.files, p.other = token.NewFileSet(), map[types.Object]bool{}
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(p.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	p.info = types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
	}
	config := types.Config{Importer: importer.ForCompiler(p.files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(p.exports[path]) })}
	if _, err := config.Check(p.ImportPath, p.files, parsed, &p.info); err != nil {
		t.Fatal(err)
	}
	for _, file := range parsed {
		p.functions(file)
	}
	found := map[access.Right]string{}
	for _, file := range parsed {
		calls := map[*ast.SelectorExpr]*ast.CallExpr{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				p.assign(n)
			case *ast.CallExpr:
				if method, ok := n.Fun.(*ast.SelectorExpr); ok {
					calls[method] = n
				}
			case *ast.SelectorExpr:
				for _, right := range p.needs(n, calls[n]) {
					found[right] = p.files.Position(n.Sel.Pos()).String()
				}
			}
			return true
		})
	}
	return found
}

// functions tracks those only returning a client for another user.
func (p *source) functions(file *ast.File) {
	for _, declared := range file.Decls {
		if f, ok := declared.(*ast.FuncDecl); ok && f.Body != nil && len(f.Body.List) == 1 {
			if r, ok := f.Body.List[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 && p.asOther(r.Results[0]) {
				p.other[p.info.ObjectOf(f.Name)] = true
			}
		}
	}
}

// assign tracks clients for other users, whose missing rights are what cases check.
func (p *source) assign(n *ast.AssignStmt) {
	for i, value := range n.Rhs {
		if name, ok := n.Lhs[i].(*ast.Ident); ok && p.asOther(value) {
			p.other[p.info.ObjectOf(name)] = true
		}
	}
}

func (p *source) asOther(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return p.other[p.info.ObjectOf(e)]
	case *ast.CallExpr:
		return p.asOther(e.Fun)
	case *ast.SelectorExpr:
		return e.Sel.Name == "As" && p.receiver(e) == module+"framework/harness.T" || p.asOther(e.X)
	default:
		return false
	}
}

// receiver is the receiver type of the method, with its package; empty for other functions.
func (p *source) receiver(e *ast.SelectorExpr) string {
	selection := p.info.Selections[e]
	if selection == nil {
		return ""
	}
	return named(selection.Recv())
}

func named(t types.Type) string {
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil {
		return n.Obj().Pkg().Path() + "." + n.Obj().Name()
	}
	return ""
}

// verbs are those of the methods of typed clients, with subresources.
var verbs = map[string][2]string{
	"Create": {"create"}, "Get": {"get"}, "List": {"list"}, "Watch": {"watch"}, "Update": {"update"}, "Patch": {"patch"}, "Apply": {"patch"},
	"Delete": {"delete"}, "DeleteCollection": {"deletecollection"}, "UpdateStatus": {"update", "/status"}, "ApplyStatus": {"patch", "/status"},
	"Bind": {"create", "/binding"}, "CreateToken": {"create", "/token"}, "EvictV1": {"create", "/eviction"}, "GetLogs": {"get", "/log"},
	"UpdateEphemeralContainers": {"update", "/ephemeralcontainers"}, "UpdateResize": {"update", "/resize"},
}

// patched is the argument of Patch with a subresource.
const patched = 5

// needs are the rights needed by a method of a typed client, or of the harness with objects as arguments.
func (p *source) needs(method *ast.SelectorExpr, call *ast.CallExpr) []access.Right {
	receiver, verb := p.receiver(method), verbs[method.Sel.Name]
	if receiver == module+"framework/harness.T" && call != nil && slices.Contains([]string{"Create", "Get", "Delete"}, method.Sel.Name) {
		var rights []access.Right
		for _, object := range call.Args {
			if of, ok := strings.CutPrefix(named(p.info.TypeOf(object)), "k8s.io/api/"); ok {
				rights = append(rights, right(verb[0], of, ""))
			}
		}
		return rights
	}
	of, typed := strings.CutPrefix(receiver, "k8s.io/client-go/kubernetes/typed/")
	of, resource := strings.CutSuffix(of, "Interface")
	if !typed || !resource || verb[0] == "" || p.asOther(method.X) {
		return nil
	}
	sub := verb[1]
	if call != nil && method.Sel.Name == "Patch" && len(call.Args) > patched {
		sub = "/" + constant.StringVal(p.info.Types[call.Args[patched]].Value)
	}
	return []access.Right{right(verb[0], of, sub)}
}

func right(verb, of, sub string) access.Right {
	path, kind, _ := strings.Cut(of, ".")
	group, _, _ := strings.Cut(path, "/")
	if full, ok := map[string]string{
		"core": "", "resource": "resource.k8s.io", "rbac": "rbac.authorization.k8s.io", "coordination": "coordination.k8s.io", "scheduling": "scheduling.k8s.io",
		"admissionregistration": "admissionregistration.k8s.io", "authorization": "authorization.k8s.io",
	}[group]; ok {
		group = full
	}
	resource := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(resource, "y"):
		resource = strings.TrimSuffix(resource, "y") + "ies"
	case strings.HasSuffix(resource, "s"):
		resource += "es"
	default:
		resource += "s"
	}
	return access.Right{Verb: verb, Group: group, Resource: resource + sub}
}
