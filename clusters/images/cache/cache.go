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

package cache

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/dra-conformance/dratest/clusters/progress"
)

// Cache is a directory made by Open.
type Cache struct{ Dir string }

// Open makes and returns the cache in dir; an empty dir means $DRATEST_CACHE, or the directory dratest in the user's
// cache directory.
func Open(dir string) (Cache, error) {
	if dir == "" {
		dir = os.Getenv("DRATEST_CACHE")
	}
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return Cache{}, fmt.Errorf("find a cache directory (set DRATEST_CACHE): %w", err)
		}
		dir = filepath.Join(user, "dratest")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Cache{}, fmt.Errorf("find the cache directory: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o755); err != nil {
		return Cache{}, fmt.Errorf("make the cache directory: %w", err)
	}
	return Cache{Dir: dir}, nil
}

// Path is the path of an entry in the cache.
func (c Cache) Path(elem ...string) string {
	return filepath.Join(append([]string{c.Dir}, elem...)...)
}

// Temp makes a directory for unfinished work; CleanTemp removes leftovers of killed processes.
func (c Cache) Temp(pattern string) (string, error) {
	dir, err := os.MkdirTemp(c.Path("tmp"), pattern)
	if err != nil {
		return "", fmt.Errorf("make a work directory: %w", err)
	}
	return dir, nil
}

// Publish atomically turns unfinished work, a file below Temp, into an entry. It syncs the content first: an existing entry
// counts as complete, also after a power failure.
func (c Cache) Publish(unfinished, entry string) error {
	if err := os.MkdirAll(filepath.Dir(entry), 0o755); err != nil {
		return fmt.Errorf("make a directory in the cache: %w", err)
	}
	err := fsync(unfinished)
	if err == nil {
		err = os.Rename(unfinished, entry)
	}
	if err == nil {
		err = fsync(filepath.Dir(entry))
	}
	if err != nil {
		return fmt.Errorf("put a result into the cache: %w", err)
	}
	return nil
}

func fsync(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// Exists reports whether an entry exists.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// HasProgram reports whether an entry is a complete program. An empty or truncated file, for example after a full disk or
// an interrupted copy of the cache, counts as missing.
func HasProgram(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	magic := make([]byte, len(elf.ELFMAG))
	if _, readErr := io.ReadFull(file, magic); err != nil || readErr != nil || magic[0] == 0 {
		return false
	}
	if string(magic) != elf.ELFMAG {
		return true // a script
	}
	program, err := elf.NewFile(file)
	if err != nil {
		return false
	}
	for _, p := range program.Progs {
		if p.Off+p.Filesz > uint64(info.Size()) {
			return false
		}
	}
	for _, s := range program.Sections {
		if s.Type != elf.SHT_NOBITS && s.Offset+s.FileSize > uint64(info.Size()) {
			return false
		}
	}
	return true
}

// Lock waits until no other process works in the cache. The lock ends with unlock or with the process.
func (c Cache) Lock(ctx context.Context, p *progress.Printer) (unlock func(), err error) {
	lock := flock.New(c.Path("lock"), flock.SetPermissions(0o644))
	locked, err := lock.TryLock()
	if err == nil && !locked {
		holder, _ := os.ReadFile(c.Path("lock"))
		err = p.Step(fmt.Sprintf("wait for another dratest that builds (process %s)", strings.TrimSpace(string(holder))), 0, func() error {
			_, err := lock.TryLockContext(ctx, 200*time.Millisecond)
			return err
		})
	}
	if err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("lock the cache %s: %w", c.Dir, err)
	}
	// The PID is only for the message above; the kernel holds the lock.
	_ = os.WriteFile(c.Path("lock"), fmt.Appendf(nil, "%d\n", os.Getpid()), 0o644)
	return func() { _ = lock.Close() }, nil
}

// CleanTemp removes all unfinished work. Only the holder of the lock may call it.
func (c Cache) CleanTemp() error {
	entries, err := os.ReadDir(c.Path("tmp"))
	if err != nil {
		return fmt.Errorf("read the work directory: %w", err)
	}
	var errs []error
	for _, e := range entries {
		errs = append(errs, RemoveAll(c.Path("tmp", e.Name())))
	}
	return errors.Join(errs...)
}

// RemoveAll removes a tree. Mounts in it (a killed debootstrap leaves /proc) are unmounted first, so nothing outside
// of the tree is touched.
func RemoveAll(dir string) error {
	if err := unmountBelow(dir); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove a work directory: %w", err)
	}
	return nil
}
