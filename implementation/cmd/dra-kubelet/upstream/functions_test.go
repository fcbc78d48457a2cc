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

package upstream

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "accept how the functions look now, after reading what they concern")

const list = "testdata/functions.txt"

// pin is a line of the list: file, function, digest and dependent code.
type pin struct{ file, name, digest, concerns string }

func TestFunctionsAreAsTheyWereRead(t *testing.T) {
	content, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	root := kubernetes(t)
	var out strings.Builder
	for line := range strings.Lines(string(content)) {
		pin, ok := parsePin(line)
		if !ok {
			out.WriteString(line)
			continue
		}
		digest, err := digestOf(filepath.Join(root, pin.file), pin.name)
		if err != nil {
			t.Errorf("%s: %s: %v; read again: %s", pin.file, pin.name, err, pin.concerns)
		} else if digest != pin.digest && !*rewrite {
			t.Errorf("%s: %s has changed; read again: %s. Then run this test with -rewrite", pin.file, pin.name, pin.concerns)
		}
		fmt.Fprintf(&out, "%-52s %-52s %s %s\n", pin.file, pin.name, digest, pin.concerns)
	}
	if *rewrite {
		if err := os.WriteFile(list, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func parsePin(line string) (pin, bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || strings.HasPrefix(line, "#") {
		return pin{}, false
	}
	return pin{file: fields[0], name: fields[1], digest: fields[2], concerns: strings.Join(fields[3:], " ")}, true
}

// kubernetes returns the directory of this module's Kubernetes version.
func kubernetes(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		t.Fatalf("find Kubernetes' source: %v", err)
	}
	return strings.TrimSpace(string(out))
}

var errGone = errors.New("is gone")

// digestOf returns the digest of a function, a method (Type.Name), a type or, with "*", the whole
// file. It ignores comments and white space.
func digestOf(file, name string) (string, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return "", errGone
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	if name == "*" {
		return digest(source), nil
	}
	for _, decl := range parsed.Decls {
		if nameOf(decl) == name {
			return digest(source[files.Position(decl.Pos()).Offset:files.Position(decl.End()).Offset]), nil
		}
	}
	return "", errGone
}

func nameOf(decl ast.Decl) string {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil {
			return decl.Name.Name
		}
		receiver := decl.Recv.List[0].Type
		if pointer, ok := receiver.(*ast.StarExpr); ok {
			receiver = pointer.X
		}
		return fmt.Sprintf("%s.%s", receiver, decl.Name.Name)
	case *ast.GenDecl:
		if spec, ok := decl.Specs[0].(*ast.TypeSpec); ok && len(decl.Specs) == 1 {
			return spec.Name.Name
		}
	}
	return ""
}

// digest hashes the tokens of source.
func digest(source []byte) string {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", files.Base(), len(source)), source, nil, 0)
	var tokens bytes.Buffer
	for {
		_, kind, text := s.Scan()
		if kind == token.EOF {
			break
		}
		fmt.Fprintf(&tokens, "%s %q\n", kind, text)
	}
	sum := sha256.Sum256(tokens.Bytes())
	return hex.EncodeToString(sum[:6])
}

func TestDigestIgnoresCommentsAndSpace(t *testing.T) {
	one := digest([]byte("func f() int { // one\n\treturn 1\n}"))
	if two := digest([]byte("func f() int {\n\n\treturn 1 /* one */\n}")); two != one {
		t.Errorf("%s, %s: differ only in comments and space", one, two)
	}
	if two := digest([]byte("func f() int {\n\treturn 2\n}")); two == one {
		t.Errorf("%s for another text", two)
	}
}
