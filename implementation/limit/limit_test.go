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

package limit_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/dra-conformance/dratest/implementation/limit"
)

func TestReadAll(t *testing.T) {
	for _, reader := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader} {
		for text, tooBig := range map[string]bool{"": false, "1234": false, "12345": true, strings.Repeat("x", 100_000): true} {
			got, err := limit.ReadAll(reader(strings.NewReader(text)), 4)
			if errors.Is(err, limit.ErrTooBig) != tooBig || !tooBig && (err != nil || string(got) != text) {
				t.Errorf("%d bytes: got %q, %v", len(text), got, err)
			}
		}
	}
}

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// An endless response exhausted memory.
func TestEndless(t *testing.T) {
	if _, err := limit.ReadAll(zeros{}, 1<<20); !errors.Is(err, limit.ErrTooBig) {
		t.Errorf("got %v", err)
	}
	reader := limit.Reader(zeros{}, 3)
	for i, want := range []int{2, 1, 0, 0} { // also after the error
		if n, err := reader.Read(make([]byte, 2)); n != want || errors.Is(err, limit.ErrTooBig) != (i > 0) {
			t.Errorf("read %d: %d bytes, %v", i, n, err)
		}
	}
	var out any
	endless := io.MultiReader(strings.NewReader(`"`), iotest.DataErrReader(strings.NewReader(strings.Repeat("x", 1<<20))))
	if err := limit.DecodeJSON(endless, 1<<10, &out); !errors.Is(err, limit.ErrTooBig) {
		t.Errorf("got %v", err)
	}
	if err := limit.DecodeJSON(strings.NewReader(`{"a": 1}`), 8, &out); err != nil {
		t.Error(err)
	}
}

// In a directory writable by others, a FIFO blocked reads, and a sparse file or a device exhausted memory.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.WriteFile(path("file"), []byte("1234"), 0o600), os.WriteFile(path("long"), []byte("12345"), 0o600),
		os.WriteFile(path("sparse"), nil, 0o600), os.Truncate(path("sparse"), 3<<30),
		syscall.Mkfifo(path("fifo"), 0o600), os.Symlink("/dev/zero", path("zero")), os.Symlink("file", path("link")), os.Mkdir(path("dir"), 0o700),
	); err != nil {
		t.Fatal(err)
	}
	for name, fits := range map[string]bool{"file": true, "link": true, "long": false, "sparse": false, "fifo": false, "zero": false, "dir": false, "missing": false} {
		if got, err := limit.ReadFile(path(name), 4); (err == nil) != fits || fits && string(got) != "1234" {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}
