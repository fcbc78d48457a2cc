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
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/dra-conformance/dratest/clusters"
)

// Sizes for NeedSpace, in bytes.
const (
	MiB = int64(1) << 20
	GiB = int64(1) << 30
)

// NeedSpace fails if the file system of dir has less than need bytes free for what. The error wraps
// clusters.ErrEnvironment.
func NeedSpace(dir string, need int64, what string) error {
	free, err := freeSpace(dir)
	if err != nil {
		return err
	}
	if free >= need {
		return nil
	}
	return noSpace(dir, need, free, what)
}

// Explain adds the missing space in dir to the error of a full disk; other errors stay as they are.
func Explain(err error, dir string, need int64, what string) error {
	if !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	free, statErr := freeSpace(dir)
	if statErr != nil {
		return err
	}
	return fmt.Errorf("%w\n(%w)", noSpace(dir, need, min(free, need), what), err)
}

func noSpace(dir string, need, free int64, what string) error {
	return fmt.Errorf("%w: disk full: to %s needs about %s in %s and %s is free: make room for %s more and run the same command again, it resumes after what is built",
		clusters.ErrEnvironment, what, Size(need), dir, Size(free), Size(need-free))
}

func freeSpace(dir string) (int64, error) {
	for !Exists(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, fmt.Errorf("find the free space of %s: %w", dir, os.NewSyscallError("statfs", err))
	}
	return int64(stat.Bavail) * int64(stat.Bsize), nil //nolint:unconvert // the types differ between systems
}

// Size is a number of bytes for people.
func Size(n int64) string {
	switch {
	case n >= GiB:
		return fmt.Sprintf("%.1f GiB", float64(n)/float64(GiB))
	case n >= MiB:
		return fmt.Sprintf("%d MiB", n/MiB)
	default:
		return fmt.Sprintf("%d B", n)
	}
}
