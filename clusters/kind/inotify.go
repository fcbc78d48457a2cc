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

package kind

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// inotifyUsage is root's use of inotify instances.
type inotifyUsage struct {
	// Limit is fs.inotify.max_user_instances; zero if unlimited.
	Limit int
	// Used counts the visible instances of root's processes: none, unless this process is root's.
	Used int
}

// enough reports whether n more instances are available.
func (u inotifyUsage) enough(n int) bool { return u.Limit == 0 || u.Used+n <= u.Limit }

// readInotify reads the usage from proc, as "/proc".
func readInotify(proc string) (inotifyUsage, error) {
	text, err := os.ReadFile(filepath.Join(proc, "sys/fs/inotify/max_user_instances"))
	if errors.Is(err, fs.ErrNotExist) {
		return inotifyUsage{}, nil // not Linux
	}
	if err != nil {
		return inotifyUsage{}, fmt.Errorf("read the limit on inotify instances: %w", err)
	}
	limit, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return inotifyUsage{}, fmt.Errorf("read the limit on inotify instances: %w", err)
	}
	processes, err := filepath.Glob(filepath.Join(proc, "[0-9]*"))
	if err != nil {
		return inotifyUsage{}, fmt.Errorf("list processes: %w", err)
	}
	u := inotifyUsage{Limit: limit}
	for _, process := range processes {
		u.Used += instances(process)
	}
	return u, nil
}

// instances counts those of one process of root; unreadable processes count as none, since processes
// can exit any time.
func instances(process string) int {
	info, err := os.Stat(process)
	if err != nil {
		return 0
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || stat.Uid != 0 {
		return 0
	}
	dir := filepath.Join(process, "fd")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	n := 0
	for _, e := range entries {
		if to, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && strings.HasSuffix(to, "anon_inode:inotify") {
			n++
		}
	}
	return n
}
