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

package app

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// FuzzParseGroups checks that accepted groups are valid, and that each error names a line.
func FuzzParseGroups(f *testing.F) {
	f.Add([]byte("groups:\n- name: a\n  max: 3\n  node: {metadata: {name: n}}\n"))
	f.Add([]byte("groups: [&a {name: a}, *a, null]\nx: 1\n"))
	f.Add([]byte("? {a: b}\n: c\ngroups: {}\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		groups, err := parseGroups("file", content)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "file:") {
				t.Error(err)
			}
			return
		}
		for _, group := range groups {
			if err := group.Validate(); err != nil {
				t.Error(err)
			}
		}
	})
}

// FuzzReadArchive checks that an archive of others is read or refused, and that no object is nil.
func FuzzReadArchive(f *testing.F) {
	archive := func(files map[string]string) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			content := files[name]
			if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
				f.Fatal(err)
			}
			if _, err := w.Write([]byte(content)); err != nil {
				f.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			f.Fatal(err)
		}
		return b.Bytes()
	}
	files := map[string]string{"a/" + metricsFile: "kubernetes_feature_enabled{name=\"DRAFoo\",stage=\"\"} 1\n"}
	for _, kind := range []string{"nodes", "pods", "resourceclaims", "resourceslices", "deviceclasses"} {
		files["a/objects/"+kind+".yaml"] = "[{metadata: {name: a}}]\n"
	}
	f.Add(archive(files))
	files["a/objects/nodes.yaml"] = "- null\n"
	f.Add(archive(files))
	name := filepath.Join(f.TempDir(), "archive.tar.gz")
	f.Fuzz(func(t *testing.T, data []byte) {
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, zipped.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		read, err := readArchive(name)
		if err != nil {
			return
		}
		for _, node := range read.Nodes {
			_ = node.Name
		}
		for _, slice := range read.Slices {
			_ = slice.Name
		}
		if (read.gates == nil) == (read.gatesUnread == "") {
			t.Errorf("gates %v, unread because %q", read.gates, read.gatesUnread)
		}
	})
}
