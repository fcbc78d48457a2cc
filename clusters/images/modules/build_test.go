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

package modules

import (
	"bytes"
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/source"
	"github.com/dra-conformance/dratest/clusters/progress"
)

func TestBuildSourceOnceAndReproducibly(t *testing.T) {
	var out bytes.Buffer
	build := func(dir string) []byte {
		c, err := cache.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewBuilder(t.Context(), c, progress.New(&out))
		if err != nil {
			t.Fatal(err)
		}
		path, err := b.Build(t.Context(), Binary{Name: "tiny", Source: []byte("package main\n\nfunc main() {}\n")})
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	dir := t.TempDir()
	first := build(dir)
	build(dir)
	if got := strings.Count(out.String(), "ok build tiny"); got != 1 {
		t.Errorf("built %d times:\n%s", got, out.String())
	}
	if !bytes.Equal(first, build(t.TempDir())) {
		t.Error("two builds of the same source differ")
	}
	file, err := elf.NewFile(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	if libs, err := file.ImportedLibraries(); err != nil || len(libs) > 0 {
		t.Errorf("not static: %v, %v", libs, err)
	}
}

// Kubernetes checkouts have their staging modules in a workspace; copies of them may have none.
func TestBuildInACheckout(t *testing.T) {
	for name, workspace := range map[string]string{"with a workspace": "go 1.26\n\nuse (\n\t.\n\t./staging/y\n)\n", "without": ""} {
		dir := t.TempDir()
		mod := "module example.com/x\n\ngo 1.26\n\nrequire example.com/y v0.0.0\n"
		if workspace == "" {
			mod += "\nreplace example.com/y => ./staging/y\n"
		}
		for file, content := range map[string]string{
			"go.mod": mod, "go.work": workspace, "cmd/tool/main.go": "package main\n\nimport \"example.com/y\"\n\nfunc main() { y.Y() }\n",
			"staging/y/go.mod": "module example.com/y\n\ngo 1.26\n", "staging/y/y.go": "package y\n\nfunc Y() {}\n",
		} {
			if content == "" {
				continue
			}
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c, err := cache.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewBuilder(t.Context(), c, &progress.Printer{})
		if err != nil {
			t.Fatal(err)
		}
		key, err := source.Key(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Build(t.Context(), Binary{Name: "tool", Package: "example.com/x/cmd/tool", Checkout: dir, CheckoutKey: key}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := b.Build(t.Context(), Binary{Name: "tool", Package: "example.com/x/cmd/tool", Checkout: dir, CheckoutKey: "1"}); !errors.Is(err, clusters.ErrEnvironment) {
			t.Errorf("%s: the checkout has changed since its key was taken: %v", name, err)
		}
	}
}

func TestFailedBuildLeavesNothing(t *testing.T) {
	c, err := cache.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewBuilder(t.Context(), c, &progress.Printer{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Build(t.Context(), Binary{Name: "broken", Source: []byte("package main\n\nfunc main() { nonsense }\n")})
	if err == nil || !strings.Contains(err.Error(), "build broken") || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("got %v", err)
	}
	if entries, _ := os.ReadDir(c.Path("tmp")); len(entries) > 0 || cache.Exists(c.Path("bin")) {
		t.Errorf("left behind: %v", entries)
	}
}
