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

package reports_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dra-conformance/dratest/reports"
)

// A dry run notices what a run refuses.
func TestCheckDir(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	used := filepath.Join(dir, "used")
	unlock, err := reports.Lock(used)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	for name, inUse := range map[string]bool{file: false, filepath.Join(file, "below"): false, used: true} {
		if err := reports.CheckDir(name); err == nil || errors.Is(err, reports.ErrInUse) != inUse {
			t.Errorf("%s: %v", name, err)
		}
	}
	missing := filepath.Join(dir, "not", "there")
	if err := errors.Join(reports.CheckDir(missing), reports.CheckDir(dir)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(missing)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the check made a directory: %v", err)
	}
}

// With links in a report directory, logs were written to and directories removed from outside.
func TestLockRefusesWhatLeadsOut(t *testing.T) {
	for name, create := range map[string]func(string) error{
		"cases":   func(p string) error { return os.Symlink("/home", p) },
		"e2e.log": func(p string) error { return os.Symlink(filepath.Join(t.TempDir(), "new"), p) },
		"run.log": func(p string) error { return os.Symlink("../other", p) },
		".lock":   func(p string) error { return syscall.Mkfifo(p, 0o644) },
	} {
		dir := t.TempDir()
		if err := create(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := reports.Lock(dir); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "--report-dir") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Evidence was written to the target of a link in "cases".
	for name, create := range map[string]func(string) error{
		"cases/core.one-device":      func(p string) error { return os.Symlink("/home", p) },
		"cases/core.one-device/a":    func(p string) error { return os.Symlink("/home", p) },
		"cases/core.one-device/fifo": func(p string) error { return syscall.Mkfifo(p, 0o644) },
	} {
		path := filepath.Join(t.TempDir(), filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), create(path)); err != nil {
			t.Fatal(err)
		}
		dir := strings.TrimSuffix(path, "/"+name)
		if _, err := reports.Lock(dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "run-1"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("run-1", filepath.Join(dir, "latest")); err != nil {
		t.Fatal(err)
	}
	unlock, err := reports.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}
