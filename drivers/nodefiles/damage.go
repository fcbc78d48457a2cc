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
)

// Suffixes of the backup of a damaged file: with its content, or for a file that did not exist.
const (
	kept  = ".dratest-kept"
	fresh = ".dratest-new"
)

// Damage corrupts a file of the node with its root file system at root, as a disk error or a crash does, and keeps a
// backup beside it. A missing file is created.
func Damage(root, path string) error {
	file := filepath.Join(root, path)
	err := os.Rename(file, file+kept)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.WriteFile(file+fresh, nil, 0o600)
	}
	if err == nil {
		err = os.WriteFile(file, []byte(`{"data":"cut sho`), 0o600)
	}
	if err != nil {
		return fmt.Errorf("damage %s: %w", path, err)
	}
	return nil
}

// Restore undoes Damage; undamaged files stay unchanged.
func Restore(root, path string) error {
	file := filepath.Join(root, path)
	err := os.Rename(file+kept, file)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.Remove(file + fresh); err == nil {
			err = os.Remove(file)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("restore %s: %w", path, err)
	}
	return nil
}
