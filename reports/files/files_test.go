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

package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/dra-conformance/dratest/reports/files"
)

// Report directories are untrusted. FIFOs in them blocked "dratest report verify" forever; a link to
// /dev/zero filled the memory.
func TestHostileDirectory(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "report")
	for name, create := range map[string]func(string) error{
		"fifo":            func(p string) error { return syscall.Mkfifo(p, 0o644) },
		"zero":            func(p string) error { return os.Symlink("/dev/zero", p) },
		"absolute":        func(p string) error { return os.Symlink(filepath.Join(top, "secret"), p) },
		"relative":        func(p string) error { return os.Symlink("../secret", p) },
		"cases":           func(p string) error { return os.Symlink("..", p) },
		"loop":            func(p string) error { return os.Symlink("loop", p) },
		"sparse":          func(p string) error { return sparse(p, files.MaxRead+1) },
		"huge":            func(p string) error { return sparse(p, files.MaxFile+1) },
		"to-fifo":         func(p string) error { return os.Symlink("fifo", p) },
		"evidence/socket": func(p string) error { return syscall.Mknod(p, syscall.S_IFSOCK|0o644, 0) },
		"../secret":       func(p string) error { return os.WriteFile(p, []byte("secret"), 0o600) },
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), create(path)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"fifo": "not a regular file", "to-fifo": "not a regular file", "evidence/socket": "not a regular file",
		"zero": "a link out of the directory", "absolute": "a link out of the directory", "relative": "a link out of the directory",
		"loop":   "",
		"sparse": "more than 268435456 bytes", "huge": "more than 4294967296",
		"cases/secret": "escapes", "../secret": "not a path inside", "/etc/passwd": "not a path inside",
	} {
		data, err := files.Read(dir, name)
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %d bytes, error %v, want %q", name, len(data), err, want)
		}
	}
	d, err := files.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if _, err := fs.Stat(d, "fifo"); !errors.Is(err, files.ErrRefused) {
		t.Errorf("stat of a FIFO: %v", err)
	}
}

func sparse(path string, size int64) error {
	return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, size))
}

func TestOrdinaryDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, fstest.MapFS{"report.json": {Data: []byte("{}")}, "cases/a.b/nodes/n/kubelet.log": {Data: []byte("log")}}); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("report.json", filepath.Join(dir, "latest.json")); err != nil {
		t.Fatal(err)
	}
	d, err := files.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if err := fstest.TestFS(d, "report.json", "cases/a.b/nodes/n/kubelet.log"); err != nil {
		t.Error(err)
	}
	if data, err := files.Read(dir, "latest.json"); string(data) != "{}" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := files.Read(dir, "missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := files.Open(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
