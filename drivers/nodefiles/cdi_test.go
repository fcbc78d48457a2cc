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

package nodefiles

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/limit"
)

// A sparse file in a CDI directory exhausted the agent's memory, and one unreadable file hid all others.
func TestHugeCDIFile(t *testing.T) {
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge.json")
	if err := errors.Join(os.WriteFile(huge, nil, 0o600), os.Truncate(huge, 3<<30), os.WriteFile(filepath.Join(dir, "a.json"), []byte("a"), 0o600),
		syscall.Mkfifo(filepath.Join(dir, "fifo.json"), 0o600)); err != nil {
		t.Fatal(err)
	}
	got, err := CDIDirsAt(dir).Read()
	if !errors.Is(err, limit.ErrTooBig) {
		t.Errorf("got error %v", err)
	}
	if diff := cmp.Diff(map[string][]byte{filepath.Join(dir, "a.json"): []byte("a")}, got); diff != "" {
		t.Errorf("files: %s", diff)
	}
}

func TestCDIDirs(t *testing.T) {
	seen := t.TempDir()
	dirs := CDIDirs{{Path: "/etc/cdi", Seen: filepath.Join(seen, "none")}, {Path: "/var/run/cdi", Seen: seen}}
	for _, name := range []string{"a.json", "b.yaml", ".tmp"} {
		if err := os.WriteFile(filepath.Join(seen, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := dirs.Obstruct("/var/run/cdi/c.json"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(seen, "a.json"), filepath.Join(seen, "c.json")); err == nil {
		t.Error("a file that is obstructed was written")
	}
	if err := dirs.Obstruct("/var/run/cdi/b.yaml"); err == nil {
		t.Error("a file that is there was obstructed")
	}
	for range 2 {
		for _, path := range []string{"/var/run/cdi/c.json", "/var/run/cdi/b.yaml"} {
			if err := dirs.Remove(path); err != nil {
				t.Error(err)
			}
		}
	}
	for _, path := range []string{"/var/run/cdi", "/var/run/cdi/../passwd", "/etc/passwd", "/var/run/cdi/a/b"} {
		if dirs.Remove(path) == nil || dirs.Obstruct(path) == nil {
			t.Errorf("%s was touched", path)
		}
	}
	got, err := dirs.Read()
	if diff := cmp.Diff(map[string][]byte{"/var/run/cdi/a.json": []byte("a.json")}, got); diff != "" || err != nil {
		t.Errorf("files: %s %v", diff, err)
	}
}
