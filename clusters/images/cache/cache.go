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
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/dra-conformance/dratest/clusters/progress"
)

// Cache is a folder that Open has made.
type Cache struct{ Dir string }

// Open makes and returns the cache in dir; an empty dir means $DRATEST_CACHE or,
// without it, the folder dratest in the user's cache folder.
func Open(dir string) (Cache, error) {
	if dir == "" {
		dir = os.Getenv("DRATEST_CACHE")
	}
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return Cache{}, fmt.Errorf("find a cache folder (set DRATEST_CACHE): %w", err)
		}
		dir = filepath.Join(user, "dratest")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Cache{}, fmt.Errorf("find the cache folder: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o755); err != nil {
		return Cache{}, fmt.Errorf("make the cache folder: %w", err)
	}
	return Cache{Dir: dir}, nil
}

// Path is the path of an entry in the cache.
func (c Cache) Path(elem ...string) string {
	return filepath.Join(append([]string{c.Dir}, elem...)...)
}

// Temp makes a folder for unfinished work; CleanTemp removes what a killed
// process has left of it.
func (c Cache) Temp(pattern string) (string, error) {
	dir, err := os.MkdirTemp(c.Path("tmp"), pattern)
	if err != nil {
		return "", fmt.Errorf("make a work folder: %w", err)
	}
	return dir, nil
}

// Publish makes unfinished work, a file or folder below Temp, an entry at once.
func (c Cache) Publish(unfinished, entry string) error {
	if err := os.MkdirAll(filepath.Dir(entry), 0o755); err != nil {
		return fmt.Errorf("make a folder in the cache: %w", err)
	}
	if err := os.Rename(unfinished, entry); err != nil {
		return fmt.Errorf("put a result into the cache: %w", err)
	}
	return nil
}

// Exists tells whether an entry is there.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Lock waits until no other process works in the cache. The lock ends with
// unlock or with the process.
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
	// The number is for the message above only; the lock is the kernel's.
	_ = os.WriteFile(c.Path("lock"), fmt.Appendf(nil, "%d\n", os.Getpid()), 0o644)
	return func() { _ = lock.Close() }, nil
}

// CleanTemp removes all unfinished work. Only the holder of the lock may call it.
func (c Cache) CleanTemp() error {
	entries, err := os.ReadDir(c.Path("tmp"))
	if err != nil {
		return fmt.Errorf("read the work folder: %w", err)
	}
	var errs []error
	for _, e := range entries {
		errs = append(errs, RemoveAll(c.Path("tmp", e.Name())))
	}
	return errors.Join(errs...)
}

// RemoveAll removes a tree. What is mounted in it, as a killed debootstrap leaves
// /proc, is unmounted first, so that nothing outside of the tree is touched.
func RemoveAll(dir string) error {
	if err := unmountBelow(dir); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove a work folder: %w", err)
	}
	return nil
}
