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

package controlplane

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// In returns the processes that Start started in a directory, found by their working directory and HOME. A user's shell in
// the directory has another HOME.
func (machine) In(dir string) ([]process, error) {
	want, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for processes of %s: %w", dir, err)
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("look for processes of %s: %w", dir, err)
	}
	var found []process
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		p, err := identify(pid)
		if err != nil || !isIn(filepath.Join("/proc", entry.Name()), want) { // terminated, or of another user
			continue
		}
		if again, err := identify(pid); err == nil && again == p { // the PID was not reused meanwhile
			p.Name = "of " + dir
			found = append(found, p)
		}
	}
	return found, nil
}

// isIn reports whether a directory is the working directory and HOME of a process.
func isIn(proc string, dir os.FileInfo) bool {
	if info, err := os.Stat(filepath.Join(proc, "cwd")); err != nil || !os.SameFile(info, dir) {
		return false
	}
	environment, err := os.ReadFile(filepath.Join(proc, "environ"))
	if err != nil {
		return false
	}
	for variable := range strings.SplitSeq(string(environment), "\x00") {
		if home, ok := strings.CutPrefix(variable, "HOME="); ok {
			info, err := os.Stat(home)
			return err == nil && os.SameFile(info, dir)
		}
	}
	return false
}
