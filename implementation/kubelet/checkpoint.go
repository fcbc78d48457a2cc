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

package kubelet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

type checkpoint struct{ path string }

// read returns the file's content, or nothing if it does not exist. The error of a corrupt file is
// nodeplan.ErrCorrupt. If the file was removed, put a corrupt one in its place, so the state is rebuilt.
func (c checkpoint) read() ([]nodeplan.ClaimInfo, error) {
	file, err := os.ReadFile(c.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	claims, err := nodeplan.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.path, err)
	}
	return claims, nil
}

// write replaces the file. If durable, the new content survives a power failure; otherwise the old
// or the new one does.
func (c checkpoint) write(claims []nodeplan.ClaimInfo, durable bool) error {
	file, err := nodeplan.Encode(claims)
	if err != nil {
		return err
	}
	if err := replaceFile(c.path, file); err != nil || !durable {
		return err
	}
	dir, err := os.Open(filepath.Dir(c.path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// keep saves a copy of a corrupt checkpoint, if any, for debugging.
func (c checkpoint) keep() error {
	file, err := os.ReadFile(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return replaceFile(c.path+".corrupt", file)
}

// replaceFile replaces a file atomically, even if the machine crashes. There must be a single
// writer.
func replaceFile(path string, content []byte) error {
	temporary := path + ".tmp"
	if err := writeAndSync(temporary, content); err != nil {
		_ = os.Remove(temporary)
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		_ = os.Remove(temporary)
		return err
	}
	return nil
}

func writeAndSync(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
