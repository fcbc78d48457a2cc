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

package matrix

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// File names of Write.
const (
	MarkdownFile = "matrix.md"
	HTMLFile     = "matrix.html"
)

// Write writes a matrix into a directory, as Markdown and HTML.
func Write(dir string, t Table) error {
	page, err := HTML(t)
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{MarkdownFile: Markdown(t), HTMLFile: page} {
		if err := renameio.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return fmt.Errorf("write the matrix: %w", err)
		}
	}
	return nil
}

// Remove removes the files of Write.
func Remove(dir string) error {
	for _, name := range []string{MarkdownFile, HTMLFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove an earlier matrix: %w", err)
		}
	}
	return nil
}
