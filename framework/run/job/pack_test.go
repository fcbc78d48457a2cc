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
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/limit"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/reports"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestWhatIsSentArrives(t *testing.T) {
	volume, dir := t.TempDir(), t.TempDir()
	files := map[string]string{"report.json": "{}", "cases/core.a/steps.txt": "1\n2\n", "empty": ""}
	write(t, filepath.Join(volume, reportDir), files)
	var sent bytes.Buffer
	if err := Send(&sent, volume); err != nil {
		t.Fatal(err)
	}
	whole := sent.Bytes()
	if err := unpack(bytes.NewReader(whole), dir, 1<<20); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(files, read(t, dir)); d != "" {
		t.Error(d)
	}
	for _, n := range []int{0, 5, len(whole) / 2, len(whole) - 1} {
		if err := unpack(bytes.NewReader(whole[:n]), t.TempDir(), 1<<20); err == nil {
			t.Errorf("%d of %d bytes are taken for all", n, len(whole))
		}
	}
}

// The directories of a name were not counted: a name of 1 MiB made 500,000 of them.
func TestDirectoriesAreBounded(t *testing.T) {
	for made, want := range map[int]string{10: "", 20: "exceeds the limit", 3000: "a name has 6000 bytes"} {
		var archive bytes.Buffer
		zipped := gzip.NewWriter(&archive)
		out := tar.NewWriter(zipped)
		header := tar.Header{Name: strings.Repeat("a/", made), Typeflag: tar.TypeDir, Mode: 0o755}
		// Twice: a directory counts once.
		if err := errors.Join(out.WriteHeader(&header), out.WriteHeader(&header), out.Close(), zipped.Close()); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		err := unpack(&archive, dir, 15*block)
		entries, _ := os.ReadDir(dir)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || (len(entries) == 1) != (want == "") {
			t.Errorf("%d directories: %v, made %v", made, err, entries)
		}
	}
}

func TestNothingIsWrittenOutside(t *testing.T) {
	for _, header := range []tar.Header{
		{Name: "../outside", Typeflag: tar.TypeReg, Mode: 0o644},
		{Name: "/outside", Typeflag: tar.TypeReg, Mode: 0o644},
		{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "/"},
	} {
		var archive bytes.Buffer
		zipped := gzip.NewWriter(&archive)
		out := tar.NewWriter(zipped)
		if err := errors.Join(out.WriteHeader(&header), out.Close(), zipped.Close()); err != nil {
			t.Fatal(err)
		}
		parent := t.TempDir()
		dir := filepath.Join(parent, "dir")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := unpack(&archive, dir, 1<<20); err == nil || len(read(t, parent)) > 0 {
			t.Errorf("%s: %v, %v", header.Name, err, read(t, parent))
		}
	}
}

// 1 MB from a pod became 1 GiB on disk, replacing the existing report.
func TestAnArchiveIsBounded(t *testing.T) {
	const zeros, most = 1 << 20, 1 << 16
	dir := t.TempDir()
	write(t, dir, map[string]string{"report.json": "mine", "theirs": "stays"})
	archive := func(_ context.Context, w io.Writer) error {
		zipped := gzip.NewWriter(w)
		out := tar.NewWriter(zipped)
		err := out.WriteHeader(&tar.Header{Name: "zeros", Typeflag: tar.TypeReg, Mode: 0o644, Size: zeros})
		_, writeErr := out.Write(make([]byte, zeros))
		return errors.Join(err, writeErr, out.Close(), zipped.Close())
	}
	var bomb bytes.Buffer
	if err := archive(t.Context(), &bomb); err != nil {
		t.Fatal(err)
	}
	if err := unpack(&bomb, t.TempDir(), most); !errors.Is(err, limit.ErrTooBig) {
		t.Errorf("%v", err)
	}
	// Endless data followed an archive.
	var endless bytes.Buffer
	zipped := gzip.NewWriter(&endless)
	out := tar.NewWriter(zipped)
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := zipped.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(zipped.Close(), unpack(&endless, t.TempDir(), most)); !errors.Is(err, limit.ErrTooBig) {
		t.Errorf("%v", err)
	}
	log := func() ([]byte, error) { return []byte("printed"), nil }
	if err := receive(t.Context(), dir, most, run.Clean, archive, log); !errors.Is(err, limit.ErrTooBig) {
		t.Errorf("%v", err)
	}
	for _, bad := range []func(context.Context, io.Writer) error{
		func(context.Context, io.Writer) error { return errors.New("the connection was lost") },
		func(_ context.Context, w io.Writer) error { _, err := w.Write([]byte("no archive")); return err },
	} {
		if err := receive(t.Context(), dir, most, run.Clean, bad, log); err == nil {
			t.Error("received nothing, without an error")
		}
	}
	if d := cmp.Diff(map[string]string{"report.json": "mine", "theirs": "stays"}, read(t, dir)); d != "" {
		t.Error(d)
	}
	write(t, filepath.Join(dir, "cases/theirs"), map[string]string{"notes": "stay"})
	volume := t.TempDir()
	write(t, filepath.Join(volume, reportDir), map[string]string{"report.json": "{}", "cases/a.b/steps.txt": "1"})
	if err := receive(t.Context(), dir, most, run.Clean, func(_ context.Context, w io.Writer) error { return Send(w, volume) }, log); err != nil {
		t.Error(err)
	}
	want := map[string]string{"report.json": "{}", "cases/a.b/steps.txt": "1", "run.log": "printed", "theirs": "stays", "cases/theirs/notes": "stay"}
	if d := cmp.Diff(want, read(t, dir)); d != "" {
		t.Error(d)
	}
}

func TestSendWithoutAReport(t *testing.T) {
	if err := Send(new(bytes.Buffer), t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestHoldEndsOnceReleased(t *testing.T) {
	volume := t.TempDir()
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := Hold(soon, volume); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("before it was released: %v", err)
	}
	if err := errors.Join(Release(volume), Hold(t.Context(), volume)); err != nil {
		t.Error(err)
	}
}

func TestDone(t *testing.T) {
	for _, row := range []struct {
		name   string
		report map[string]string
		failed error
		want   map[string]string
	}{
		{"cases failed", map[string]string{"report.json": "{}"}, errors.New("1 case failed"), map[string]string{"report.json": "{}"}},
		{"no report", nil, errors.New("no cluster"), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			results := t.TempDir()
			dir, file := filepath.Join(results, reportDir), filepath.Join(results, "done")
			write(t, dir, row.report)
			if err := Done(file, dir, row.failed); err != nil {
				t.Fatal(err)
			}
			path, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			archive, err := os.ReadFile(string(path)) // no line end: sonobuoy takes all of it
			if err != nil {
				t.Fatal(err)
			}
			arrived := t.TempDir()
			if err := unpack(bytes.NewReader(archive), arrived, 1<<20); err != nil {
				t.Fatal(err)
			}
			got := read(t, arrived)
			if row.want == nil { // Sonobuoy calls the result "unknown" unless a test case fails.
				if file := got[reports.JUnitFile]; len(got) != 1 || !strings.Contains(file, ` errors="1"`) || !strings.Contains(file, row.failed.Error()) {
					t.Errorf("got %q", got)
				}
				return
			}
			if d := cmp.Diff(row.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
