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

package job

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzUnpack checks that an archive of others writes nothing outside of its directory, only directories and regular
// files, and no more than the limit.
func FuzzUnpack(f *testing.F) {
	archive := func(headers ...tar.Header) {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, h := range headers {
			h.Mode = 0o644
			if err := w.WriteHeader(&h); err != nil {
				f.Fatal(err)
			}
			if _, err := w.Write(make([]byte, h.Size)); err != nil {
				f.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	archive(tar.Header{Name: "a/b", Typeflag: tar.TypeReg, Size: 5}, tar.Header{Name: "c", Typeflag: tar.TypeDir})
	archive(tar.Header{Name: "../a", Typeflag: tar.TypeReg, Size: 1})
	archive(tar.Header{Name: "a", Typeflag: tar.TypeSymlink, Linkname: ".."}, tar.Header{Name: "a/b", Typeflag: tar.TypeReg})
	// The directories of a name were free: an archive of 1 MB filled a disk with them.
	archive(tar.Header{Name: strings.Repeat("a/", 100), Typeflag: tar.TypeDir})
	const most = 64 << 10
	f.Fuzz(func(t *testing.T, data []byte) {
		top := t.TempDir()
		dir := filepath.Join(top, "report")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		_ = unpack(&zipped, dir, most)
		total := int64(0)
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if path != top && path != dir {
				total += block
			}
			if info.Mode().IsRegular() {
				total += info.Size()
			} else if !d.IsDir() {
				t.Errorf("%s is %s", path, info.Mode())
			}
			return nil
		})
		if entries, _ := os.ReadDir(top); err != nil || len(entries) != 1 || total > most {
			t.Errorf("%d entries beside the report, %d bytes: %v", len(entries)-1, total, err)
		}
	})
}
