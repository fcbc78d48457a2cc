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

package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// PodMemory is the memory limit of a pod's cgroup in bytes, on the node with its root file system at root, for all
// versions and managers of cgroups. Errors: there is no such cgroup, or it has no limit.
func PodMemory(root, uid string) (int64, error) {
	// systemd takes hyphens for a path.
	names := []string{"pod" + uid, "pod" + strings.ReplaceAll(uid, "-", "_") + ".slice"}
	for _, tree := range []struct{ folder, file string }{{"sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"sys/fs/cgroup", "memory.max"}} {
		found, err := findFolder(filepath.Join(root, tree.folder), names)
		if err != nil {
			return 0, err
		}
		if found == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(found, tree.file))
		if err != nil {
			return 0, fmt.Errorf("read the limit of a pod's cgroup: %w", err)
		}
		bytes, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read the limit %q of a pod's cgroup: %w", text, err)
		}
		return bytes, nil
	}
	return 0, fmt.Errorf("pod %s has no cgroup on this node", uid)
}

// findFolder returns a directory below top with one of the names as suffix; empty if there is none.
func findFolder(top string, names []string) (found string, err error) {
	err = filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // cgroups may vanish during the walk
			return nil
		case err != nil:
			return err
		case entry.IsDir() && slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(entry.Name(), name) }):
			found = path
			return filepath.SkipAll
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("look for a pod's cgroup: %w", err)
	}
	return found, nil
}
