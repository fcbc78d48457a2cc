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
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// "- null" in any file of an archive made dra-whatif panic.
func TestArchiveWithEmptyEntries(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "groups.yaml"), groups)
	for _, kind := range []string{"nodes", "pods", "resourceclaims", "resourceslices", "deviceclasses", "devicetaintrules"} {
		from := archive(t, 1)
		write(t, filepath.Join(from, "objects", kind+".yaml"), "- metadata: {name: x}\n- null\n")
		if code, _, errOut := run(t, "-f", file, "--from", from); code != 3 || !strings.Contains(errOut, "objects/"+kind+".yaml[1] is empty") {
			t.Errorf("%s: exit code %d: %s", kind, code, errOut)
		}
	}
}

// A FIFO in the directory of an archive blocked dra-whatif forever, and a link to a device exhausted memory.
func TestArchiveOfSpecialFiles(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "groups.yaml"), groups)
	for name, place := range map[string]func(path string) error{
		"FIFO":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"sparse": func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40)) },
	} {
		from := archive(t, 1)
		path := filepath.Join(from, "objects", "pods.yaml")
		if err := errors.Join(os.Remove(path), place(path)); err != nil {
			t.Fatal(err)
		}
		if code, _, errOut := run(t, "-f", file, "--from", from); code != 3 || !strings.Contains(errOut, "pods.yaml") {
			t.Errorf("%s: exit code %d: %s", name, code, errOut)
		}
	}
}

// Names in an untrusted archive cleared the terminal, and ended a comment in the file written by learn.
func TestNamesThatControlTerminals(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "groups.yaml"), groups)
	from := archive(t, 1)
	path := filepath.Join(from, "objects", "pods.yaml")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.ReplaceAll(string(content), "name: pod-a", `name: "\e[2J\e[Hpod\r\u009b-a"`))
	code, out, errOut := run(t, "-f", file, "--from", from)
	if strings.ContainsAny(out+errOut, "\x1b\r\u009b") || !strings.Contains(out, "[2J") {
		t.Errorf("exit code %d: %q, %q", code, out, errOut)
	}
	if got := comment("a\nb: c"); got != "a b: c" {
		t.Errorf("got %q", got)
	}
}

func TestArchiveWithAFileTwice(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.tar.gz")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	zipped := gzip.NewWriter(f)
	tape := tar.NewWriter(zipped)
	for _, top := range []string{"x", "y"} {
		header := &tar.Header{Name: top + "/objects/nodes.yaml", Mode: 0o600, Size: 2, Typeflag: tar.TypeReg}
		if err := tape.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := tape.Write([]byte("[]")); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(tape.Close(), zipped.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := readArchive(name); err == nil || !strings.Contains(err.Error(), "y/objects/nodes.yaml: the archive contains it twice") {
		t.Errorf("got error %v", err)
	}
}
