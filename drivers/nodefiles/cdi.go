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

package nodefiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dra-conformance/dratest/framework/limit"
)

// CDIStatic and CDIDynamic are the default CDI directories of container runtimes.
const (
	CDIStatic  = "/etc/cdi"
	CDIDynamic = "/var/run/cdi"
)

// CDIDir is one directory of CDI files.
type CDIDir struct {
	// Path is the directory on the node, Seen its path for this process.
	Path, Seen string
}

// CDIDirs are the CDI directories of a container runtime. A missing one is empty.
type CDIDirs []CDIDir

// CDIDirsAt returns directories with the same path for this process.
func CDIDirsAt(paths ...string) CDIDirs {
	var dirs CDIDirs
	for _, path := range paths {
		dirs = append(dirs, CDIDir{path, path})
	}
	return dirs
}

// maxCDI is the size limit of a CDI file, in bytes, as in dra-kubelet.
const maxCDI = 4 << 20

// Read returns the CDI files by their paths on the node, except files removed meanwhile. If a file cannot be read or is
// larger than 4 MiB, Read returns an error together with the other files.
func (d CDIDirs) Read() (map[string][]byte, error) {
	files, errs := map[string][]byte{}, []error(nil)
	for _, dir := range d {
		entries, err := os.ReadDir(dir.Seen)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("list CDI directory: %w", err))
		}
		for _, entry := range entries {
			if ext := filepath.Ext(entry.Name()); ext != ".json" && ext != ".yaml" || !entry.Type().IsRegular() {
				continue
			}
			content, err := limit.ReadFile(filepath.Join(dir.Seen, entry.Name()), maxCDI)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("read CDI file: %w", err))
				continue
			}
			files[filepath.Join(dir.Path, entry.Name())] = content
		}
	}
	return files, errors.Join(errs...)
}

// Remove removes a CDI file, or its obstruction by Obstruct; a missing file is no error.
func (d CDIDirs) Remove(path string) error {
	seen, err := d.seen(path)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(seen); err != nil {
		return fmt.Errorf("remove CDI file: %w", err)
	}
	return nil
}

// Obstruct makes writing one missing CDI file fail: a non-empty directory in its place cannot be replaced.
func (d CDIDirs) Obstruct(path string) error {
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

// seen returns the path of a file for this process; only files directly in a directory are allowed.
func (d CDIDirs) seen(path string) (string, error) {
	for _, dir := range d {
		if filepath.Dir(path) == filepath.Clean(dir.Path) {
			return filepath.Join(dir.Seen, filepath.Base(path)), nil
		}
	}
	return "", fmt.Errorf("%s is not in a CDI directory", path)
}
