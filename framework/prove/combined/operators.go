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
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
)

// The operators.
const (
	dropped    = "condition-dropped"
	notUndone  = "not-rolled-back"
	stale      = "stale"
	everyNode  = "error-of-one-for-all"
	byText     = "compared-by-text"
	offByOne   = "off-by-one"
	otherScope = "loop-scope"
)

// visit adds the mutants of a node, except those of loops.
func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	case *ast.SwitchStmt:
		if n.Tag == nil {
			f.cases(n.Body)
		}
	case *ast.ReturnStmt:
		f.returned(n)
	case *ast.CompositeLit:
		if name, ok := n.Type.(*ast.Ident); ok && name.Name == "nodeError" && len(n.Elts) == 1 {
			f.add(everyNode, n, fmt.Sprintf("dratestmutant.Either[error](ON, %s, %s)", f.text(n.Elts[0]), f.text(n)))
		}
	}
	return true
}

func (f *finder) binary(n *ast.BinaryExpr) {
	x, y := f.text(n.X), f.text(n.Y)
	switch n.Op {
	case token.LAND:
		for _, operand := range []ast.Expr{n.X, n.Y} {
			if !guards(operand) {
				f.add(dropped, operand, fmt.Sprintf("(ON || (%s))", f.text(operand)))
			}
		}
	case token.LOR:
		for _, operand := range []ast.Expr{n.X, n.Y} {
			if !guards(operand) {
				f.add(dropped, operand, fmt.Sprintf("(!ON && (%s))", f.text(operand)))
			}
		}
	case token.LSS, token.GTR, token.LEQ, token.GEQ:
		if !pure(n.X) || !pure(n.Y) {
			return
		}
		if n.Op == token.LSS || n.Op == token.GTR {
			f.add(offByOne, n, fmt.Sprintf("(%s || ON && %s == %s)", f.text(n), x, y))
		} else {
			f.add(offByOne, n, fmt.Sprintf("(%s && !(ON && %s == %s))", f.text(n), x, y))
		}
		if !signed(n.X) && y != "0" {
			f.add(byText, n, fmt.Sprintf("(ON && dratestmutant.Text(%s) %s dratestmutant.Text(%s) || !ON && %s)", x, n.Op, y, f.text(n)))
		}
	}
}

// guards reports whether an operand may keep others from a crash: it mentions nil, len or ok.
func guards(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		found = found || ok && (name.Name == "nil" || name.Name == "len" || name.Name == "ok")
		return !found
	})
	return found
}

// pure reports whether an expression may be evaluated twice.
func pure(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return pure(e.X)
	case *ast.IndexExpr:
		return pure(e.X) && pure(e.Index)
	case *ast.ParenExpr:
		return pure(e.X)
	case *ast.BinaryExpr:
		return pure(e.X) && pure(e.Y)
	case *ast.CallExpr:
		name := called(e)
		return slices.Contains([]string{"len", "Cmp", "Sign", "Value", "count"}, name) && !slices.ContainsFunc(e.Args, func(a ast.Expr) bool { return !pure(a) })
	}
	return false
}

// signed reports whether an expression is a sign: as text, it compares like as a number.
func signed(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && (called(call) == "Cmp" || called(call) == "Sign" || called(call) == "Compare")
}

func called(call *ast.CallExpr) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

// reverts are functions undoing something.
var reverts = regexp.MustCompile(`(?i)^(undo|restore|leave|giveback|rollback|release|forget|remove|delete|unreserve|clear|clean|reset|done)`)

// statements adds mutants without one of the statements.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		without := fmt.Sprintf("if !ON {\n%s\n}", f.text(s))
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && reverts.MatchString(called(call)) {
				f.add(notUndone, s, without)
			}
		case *ast.IncDecStmt:
			if s.Tok == token.DEC {
				f.add(notUndone, s, without)
			} else {
				f.add(stale, s, without)
			}
		case *ast.AssignStmt:
			switch s.Tok {
			case token.SUB_ASSIGN:
				f.add(notUndone, s, without)
			case token.ADD_ASSIGN, token.ASSIGN:
				if !slices.ContainsFunc(s.Lhs, blank) {
					f.add(stale, s, without)
				}
			}
		}
	}
}

func blank(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && (name.Name == "_" || name.Name == "err")
}

// cases adds mutants without one of the cases of a switch.
func (f *finder) cases(body *ast.BlockStmt) {
	for _, s := range body.List {
		if clause, ok := s.(*ast.CaseClause); ok {
			for _, e := range clause.List {
				if b, ok := e.(*ast.BinaryExpr); !guards(e) && (!ok || b.Op != token.LAND && b.Op != token.LOR) {
					f.add(dropped, e, fmt.Sprintf("(!ON && (%s))", f.text(e)))
				}
			}
		}
	}
}

// returned makes the rejection of a node an error of the pod.
func (f *finder) returned(n *ast.ReturnStmt) {
	for _, e := range n.Results {
		call, ok := e.(*ast.CallExpr)
		if ok && called(call) == "unschedulable" && len(call.Args) > 1 {
			f.add(everyNode, call, fmt.Sprintf("dratestmutant.Either(ON, failed(%s, dratestmutant.Error(%s)), %s)", f.text(call.Args[0]), f.text(call.Args[1]), f.text(call)))
		}
	}
}

// loops adds mutants that leave a loop too early or too late. inLoop is whether the nearest statement that break
// leaves is a loop.
func (f *finder) loops(n ast.Node, inLoop bool) {
	ast.Inspect(n, func(child ast.Node) bool {
		switch s := child.(type) {
		case *ast.ForStmt:
			f.loops(s.Body, true)
			return false
		case *ast.RangeStmt:
			f.loops(s.Body, true)
			return false
		case *ast.SwitchStmt:
			f.loops(s.Body, false)
			return false
		case *ast.TypeSwitchStmt:
			f.loops(s.Body, false)
			return false
		case *ast.SelectStmt:
			f.loops(s.Body, false)
			return false
		case *ast.FuncLit:
			f.loops(s.Body, false)
			return false
		case *ast.BranchStmt:
			f.branch(s, inLoop)
		}
		return true
	})
}

func (f *finder) branch(s *ast.BranchStmt, inLoop bool) {
	other := map[token.Token]string{token.CONTINUE: "break", token.BREAK: "continue"}[s.Tok]
	if other == "" || !inLoop && s.Label == nil {
		return
	}
	if s.Label != nil {
		other += " " + s.Label.Name
	}
	f.add(otherScope, s, fmt.Sprintf("if ON {\n%s\n}\n%s", other, f.text(s)))
}
