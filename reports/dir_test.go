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
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dra-conformance/dratest/reports"
)

// With links in a report directory, logs were written to and folders removed from outside.
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
