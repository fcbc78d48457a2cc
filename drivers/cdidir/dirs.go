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

package cdidir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Static and Dynamic are the directories that container runtimes read by default.
const (
	Static  = "/etc/cdi"
	Dynamic = "/var/run/cdi"
)

// Dir is one directory of CDI files.
type Dir struct {
	// Path is what the node calls it, Seen where this process sees it.
	Path, Seen string
}

// Dirs are the directories that a container runtime reads. One that does not exist is
// empty.
type Dirs []Dir

// At are directories that this process sees where they are.
func At(paths ...string) Dirs {
	var dirs Dirs
	for _, path := range paths {
		dirs = append(dirs, Dir{path, path})
	}
	return dirs
}

// Read returns the CDI files by their paths on the node; those that come and go meanwhile
// are left out.
func (d Dirs) Read() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, dir := range d {
		entries, err := os.ReadDir(dir.Seen)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list CDI directory: %w", err)
		}
		for _, entry := range entries {
			if ext := filepath.Ext(entry.Name()); ext != ".json" && ext != ".yaml" || !entry.Type().IsRegular() {
				continue
			}
			content, err := os.ReadFile(filepath.Join(dir.Seen, entry.Name()))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("read CDI file: %w", err)
			}
			files[filepath.Join(dir.Path, entry.Name())] = content
		}
	}
	return files, nil
}

// Remove removes a CDI file, or what Obstruct has put in its place; what is not there is
// no error.
func (d Dirs) Remove(path string) error {
	seen, err := d.seen(path)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(seen); err != nil {
		return fmt.Errorf("remove CDI file: %w", err)
	}
	return nil
}

// Obstruct keeps a CDI file that is not there from being written, and no other: a
// directory in its place that is not empty is not replaced.
func (d Dirs) Obstruct(path string) error {
	seen, err := d.seen(path)
	if err == nil {
		err = os.Mkdir(seen, 0o700)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(seen, "dratest"), 0o700)
	}
	if err != nil {
		return fmt.Errorf("keep CDI file %s from being written: %w", path, err)
	}
	return nil
}

// seen is where this process sees a file; only those right in a directory are touched.
func (d Dirs) seen(path string) (string, error) {
	for _, dir := range d {
		if filepath.Dir(path) == filepath.Clean(dir.Path) {
			return filepath.Join(dir.Seen, filepath.Base(path)), nil
		}
	}
	return "", fmt.Errorf("%s is not in a CDI directory", path)
}
