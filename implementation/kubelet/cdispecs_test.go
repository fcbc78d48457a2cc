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

package kubelet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"k8s.io/apimachinery/pkg/util/sets"
	"tags.cncf.io/container-device-interface/pkg/cdi"
)

func spec(t testing.TB, path string, devices ...string) {
	t.Helper()
	content := `{"cdiVersion": "0.6.0", "kind": "vendor.example.com/gpu", "devices": [`
	for i, device := range devices {
		if i > 0 {
			content += ", "
		}
		content += fmt.Sprintf(`{"name": %q, "containerEdits": {"env": ["A=B"]}}`, device)
	}
	if err := os.WriteFile(path, []byte(content+"]}"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// After each change, the same devices resolve as in the container runtimes' CDI library.
func TestCDISpecsAsTheLibrary(t *testing.T) {
	static, dynamic := t.TempDir(), t.TempDir()
	specs := cdiSpecs{dirs: []string{static, dynamic, filepath.Join(dynamic, "missing")}}
	remove := func(path string) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	one, two, both := filepath.Join(static, "one.json"), filepath.Join(dynamic, "two.yaml"), filepath.Join(dynamic, "both.json")
	for _, step := range []struct {
		what   string
		do     func()
		number int
	}{
		{"nothing", func() {}, 0},
		{"one file", func() { spec(t, one, "0", "1") }, 2},
		{"a file in another directory", func() { spec(t, two, "1", "2") }, 3},
		{"a conflict in a directory", func() { spec(t, both, "2") }, 2},
		{"the conflict with the other directory as well", func() { spec(t, both, "2", "1") }, 1},
		{"no conflict any more", func() { remove(two) }, 3},
		{"a file that changes", func() { spec(t, one, "longer") }, 3},
		{"not a spec", func() { spec(t, filepath.Join(static, "x.txt"), "x") }, 3},
		{"a broken spec", func() { _ = os.WriteFile(one, []byte("{"), 0o600) }, 2},
		{"a link that leads nowhere", func() { _ = os.Symlink("nowhere", filepath.Join(static, "link.json")) }, 2},
		{"another file of that name", func() { spec(t, both+".new", "y"); _ = os.Rename(both+".new", both) }, 1},
		{"a directory", func() { _ = os.Mkdir(filepath.Join(static, "dir.json"), 0o700) }, 1},
		{"gone", func() { remove(both) }, 0},
	} {
		step.do()
		library, err := cdi.NewCache(cdi.WithSpecDirs(specs.dirs...), cdi.WithAutoRefresh(false))
		if err != nil {
			t.Fatal(err)
		}
		got, want := specs.devices(), sets.New(library.ListDevices()...)
		if !got.Equal(want) || len(got) != step.number {
			t.Errorf("%s: got %v, the library has %v, expected %d", step.what, sets.List(got), sets.List(want), step.number)
		}
	}
}

// Anyone who could write to a CDI directory could block all pods with claims on a node: a FIFO blocked the kubelet forever
// with a lock held, and a sparse file or a link to a device exhausted its memory.
func TestCDIDirectoryOfOthers(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	spec(t, path("good.json"), "0")
	huge := "{\"cdiVersion\": \"0.6.0\", \"kind\": \"vendor.example.com/gpu\", \"devices\": [{\"name\": \"huge\", \"containerEdits\": {\"env\": [\"A=B\"]}}]}" +
		strings.Repeat(" ", maxSpec)
	if err := errors.Join(
		syscall.Mkfifo(path("fifo.json"), 0o600), os.Symlink("fifo.json", path("link.json")), os.Symlink("/dev/zero", path("zero.yaml")),
		os.WriteFile(path("sparse.json"), nil, 0o600), os.Truncate(path("sparse.json"), 3<<30),
		os.WriteFile(path("huge.json"), []byte(huge), 0o600), syscall.Mkfifo(path("many.yaml"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	specs := cdiSpecs{dirs: []string{dir}}
	for range 2 {
		if got, want := specs.devices(), sets.New("vendor.example.com/gpu=0"); !got.Equal(want) {
			t.Errorf("got %v, want %v", sets.List(got), sets.List(want))
		}
	}
}

// BenchmarkCDISpecs measures a container start on a node with 100 claims, one of them new.
func BenchmarkCDISpecs(b *testing.B) {
	dir := b.TempDir()
	for i := range 100 {
		spec(b, filepath.Join(dir, fmt.Sprintf("%d.json", i)), fmt.Sprint(i))
	}
	change := func(i int) { spec(b, filepath.Join(dir, "new.json"), fmt.Sprintf("new-%d", i)) }
	b.Run("own", func(b *testing.B) {
		specs := cdiSpecs{dirs: []string{dir}}
		specs.devices()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			change(i)
			if got := specs.devices(); len(got) != 101 {
				b.Fatal(got)
			}
		}
	})
	b.Run("library", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			change(i)
			cache, _ := cdi.NewCache(cdi.WithSpecDirs(dir), cdi.WithAutoRefresh(false))
			if got := cache.ListDevices(); len(got) != 101 {
				b.Fatal(got)
			}
		}
	})
}
