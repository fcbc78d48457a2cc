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
	"strings"
)

// staticPodPrefix is the prefix of cases' static pod manifests, so no other ones are touched.
const staticPodPrefix = "dratest-"

// PutStaticPod atomically writes the manifest of a static pod into a directory of the node with its root file system
// at root.
func PutStaticPod(root, dir, name string, manifest []byte) error {
	path, err := staticPodFile(root, dir, name)
	if err != nil {
		return err
	}
	// Kubelets ignore files with a leading dot.
	draft := filepath.Join(filepath.Dir(path), "."+filepath.Base(path))
	if err := os.WriteFile(draft, manifest, 0o600); err != nil {
		return fmt.Errorf("write static pod %s: %w", name, err)
	}
	if err := os.Rename(draft, path); err != nil {
		return errors.Join(fmt.Errorf("write static pod %s: %w", name, err), os.Remove(draft))
	}
	return nil
}

// RemoveStaticPod undoes PutStaticPod; a missing file is no error.
func RemoveStaticPod(root, dir, name string) error {
	path, err := staticPodFile(root, dir, name)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove static pod %s: %w", name, err)
	}
	return nil
}

func staticPodFile(root, dir, name string) (string, error) {
	if !strings.HasPrefix(name, staticPodPrefix) || filepath.Base(name) != name {
		return "", fmt.Errorf("the name of a static pod's file must begin with %s: %q", staticPodPrefix, name)
	}
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("the directory of static pods must be absolute: %q", dir)
	}
	return filepath.Join(root, dir, name+".json"), nil
}
