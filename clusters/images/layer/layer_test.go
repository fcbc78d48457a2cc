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

package layer_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters/images/layer"
)

func TestWriteAddsParentsAndSorts(t *testing.T) {
	var out bytes.Buffer
	err := layer.Write(&out, []layer.Entry{
		{Path: "usr/bin/x", Mode: 0o755, Data: []byte("x")},
		{Path: "etc/a.conf", Data: []byte("conf")},
		{Path: "tmp/", Mode: 0o1777},
		{Path: "etc/link", Link: "/dev/null"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for r := tar.NewReader(&out); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%c %o %s %s%d", h.Typeflag, h.Mode, h.Name, h.Linkname, h.Size))
	}
	want := []string{
		"5 755 etc/ 0", "0 644 etc/a.conf 4", "2 777 etc/link /dev/null0", "5 1777 tmp/ 0",
		"5 755 usr/ 0", "5 755 usr/bin/ 0", "0 755 usr/bin/x 1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLayersAreReproducible(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	entries := []layer.Entry{{Path: "b", Data: []byte("b")}, {Path: "a", File: file, Key: "k"}}
	reversed := []layer.Entry{entries[1], entries[0]}
	for name, build := range map[string]func([]layer.Entry) (string, error){
		"plain": func(e []layer.Entry) (string, error) {
			l, err := layer.Plain(e)
			if err != nil {
				return "", err
			}
			d, err := l.Digest()
			return d.String(), err
		},
		"compressed": func(e []layer.Entry) (string, error) {
			l, err := layer.Compressed(e)
			if err != nil {
				return "", err
			}
			d, err := l.Digest()
			return d.String(), err
		},
	} {
		one, err := build(entries)
		if err != nil {
			t.Fatal(name, err)
		}
		if other, err := build(reversed); err != nil || one != other {
			t.Errorf("%s: %s and %s, %v", name, one, other, err)
		}
	}
}

func TestKey(t *testing.T) {
	base := layer.Entry{Path: "a", Mode: 0o755, File: "/x", Key: "k1"}
	key := layer.Key([]layer.Entry{base})
	moved := base
	moved.File = "/elsewhere"
	if layer.Key([]layer.Entry{moved}) != key {
		t.Error("where a file lies on this machine changes the key")
	}
	for name, change := range map[string]func(*layer.Entry){
		"path":    func(e *layer.Entry) { e.Path = "b" },
		"mode":    func(e *layer.Entry) { e.Mode = 0o700 },
		"content": func(e *layer.Entry) { e.Key = "k2" },
		"link":    func(e *layer.Entry) { e.Link = "/y" },
		"data":    func(e *layer.Entry) { e.Key, e.Data = "", []byte("z") },
	} {
		changed := base
		change(&changed)
		if layer.Key([]layer.Entry{changed}) == key {
			t.Errorf("a changed %s does not change the key", name)
		}
	}
}

func TestMissingFileIsAnError(t *testing.T) {
	if _, err := layer.Plain([]layer.Entry{{Path: "a", File: "/no/such/file", Key: "k"}}); err == nil || !strings.Contains(err.Error(), "a into a layer") {
		t.Errorf("got %v", err)
	}
}
