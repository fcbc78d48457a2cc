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

package containermanager

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Another kubelet with the same lock file must wait while files are moved, but not afterwards: this
// kubelet acquires the lock again itself.
func TestLockIsHeldWhileFilesMove(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubelet.lock")
	try := func() error {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	err := whileLocked(path, func() error {
		if err := try(); !errors.Is(err, unix.EWOULDBLOCK) {
			t.Errorf("while files move: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := try(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestNoLockFile(t *testing.T) {
	want := errors.New("moved")
	if err := whileLocked("", func() error { return want }); !errors.Is(err, want) {
		t.Errorf("error is %v", err)
	}
}
