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

package reports

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"github.com/dra-conformance/dratest/reports/files"
	"github.com/dra-conformance/dratest/reports/schema"
)

// ErrInUse means another process writes to the report directory.
var ErrInUse = errors.New("the report directory is in use")

// Dir returns the given report directory, or the default: $ARTIFACTS or _artifacts.
func Dir(given string) string {
	switch {
	case given != "":
		return given
	case os.Getenv("ARTIFACTS") != "":
		return os.Getenv("ARTIFACTS")
	default:
		return "_artifacts"
	}
}

// CheckDir returns the error of Lock, but creates and writes nothing.
func CheckDir(dir string) error {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("find the report directory: %w", err)
	}
	parent := absolute // or the closest one that exists
	info, err := os.Stat(parent)
	for errors.Is(err, fs.ErrNotExist) && parent != filepath.Dir(parent) {
		parent = filepath.Dir(parent)
		info, err = os.Stat(parent)
	}
	switch {
	case err != nil:
		return fmt.Errorf("make the report directory: %w", err)
	case !info.IsDir():
		return fmt.Errorf("make the report directory: %s is not a directory", parent)
	}
	if err := unix.Access(parent, unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("make the report directory: write to %s: %w", parent, err)
	}
	if parent == absolute {
		if err := errors.Join(checkEntries(dir), checkLock(dir)); err != nil {
			return err
		}
	}
	return checkSpace(parent)
}

// checkLock returns ErrInUse for a locked directory.
func checkLock(dir string) error {
	path := filepath.Join(dir, lockFile)
	if _, err := os.Stat(path); err != nil {
		return nil //nolint:nilerr // nobody has it
	}
	lock := flock.New(path)
	locked, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock the report directory: %w", err)
	}
	if !locked {
		return inUse(dir)
	}
	return lock.Unlock()
}

func inUse(dir string) error {
	return fmt.Errorf("%w: another process writes into %s: wait for it, or choose another directory with --report-dir", ErrInUse, dir)
}

// Lock creates a report directory and locks it until unlock or the end of the process. It returns
// ErrInUse, or an error if files cannot be written.
func Lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the report directory: %w", err)
	}
	if err := checkEntries(dir); err != nil {
		return nil, err
	}
	if err := checkSpace(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, lockFile)
	for {
		lock := flock.New(path)
		locked, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock the report directory: %w", err)
		}
		if !locked {
			return nil, inUse(dir)
		}
		// The previous holder may have removed the file in the meantime.
		mine, mineErr := lock.Stat()
		there, thereErr := os.Stat(path)
		if mineErr == nil && thereErr == nil && os.SameFile(mine, there) {
			return func() { _ = os.Remove(path); _ = lock.Unlock() }, nil
		}
		_ = lock.Close()
	}
}

// checkEntries rejects a directory with entries leading outside, such as links in a report of somebody
// else, also in the evidence of cases: files must not be written or removed there.
func checkEntries(dir string) error {
	d, err := files.Open(dir)
	if err != nil {
		return fmt.Errorf("open the report directory: %w", err)
	}
	defer func() { _ = d.Close() }()
	err = fs.WalkDir(d, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("read the report directory: %w", err)
		case e.IsDir() && name != "." && name != schema.CasesFolder && !strings.HasPrefix(name, schema.CasesFolder+"/"):
			return fs.SkipDir // logs of nodes contain links
		case e.IsDir() || e.Type().IsRegular():
			return nil
		}
		f, err := d.Open(name)
		if err == nil {
			return f.Close()
		}
		if !errors.Is(err, fs.ErrNotExist) || e.Type()&fs.ModeSymlink != 0 {
			return fmt.Errorf("the report directory %s: %w: remove it, or choose another directory with --report-dir", dir, err)
		}
		return nil
	})
	return err
}

// leastSpace is the required free space in bytes: several times the largest report so far.
const leastSpace = 64 << 20

// checkSpace returns an error if free space is known to be insufficient.
func checkSpace(dir string) error {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return nil //nolint:nilerr // writing will report the error
	}
	if free := s.Bavail * uint64(s.Bsize); free < leastSpace {
		return fmt.Errorf("the report directory %s has %d MiB free, a report needs up to %d: make room, or choose another directory with --report-dir",
			dir, free>>20, leastSpace>>20)
	}
	return nil
}

// lockFile exists while a process writes to the report directory.
const lockFile = ".lock"
