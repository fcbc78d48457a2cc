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

package own

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/dra-conformance/dratest/clusters"
)

// Requires returns a module's version in the program's build. It builds nothing.
func (s Source) Requires(path string) (string, error) {
	if s.root == "" {
		info, err := buildinfo.ReadFile(s.built)
		if err != nil {
			return "", fmt.Errorf("%w: find out what %s was built from: %w", clusters.ErrEnvironment, s.built, err)
		}
		for _, m := range info.Deps {
			if m.Path == path {
				return m.Version, nil
			}
		}
		return "", fmt.Errorf("%w: %s was built without %s", clusters.ErrEnvironment, s.built, path)
	}
	name := filepath.Join(s.root, s.program.Module, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("find out what %s is built from: %w", s.program.Name, err)
	}
	mod, err := modfile.ParseLax(name, data, nil)
	if err != nil {
		return "", fmt.Errorf("find out what %s is built from: %w", s.program.Name, err)
	}
	for _, r := range mod.Require {
		if r.Mod.Path == path {
			return r.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("%s does not require %s", name, path)
}

// File returns a file of the program: from its directory in the checkout, or next to the program as NAME.yaml for
// config.yaml and manifest.yaml, and NAME-FILE for others.
func (s Source) File(name string) ([]byte, error) {
	path := s.built + "-" + name
	if name == "config.yaml" || name == "manifest.yaml" {
		path = s.built + ".yaml"
	}
	if s.root != "" {
		path = filepath.Join(s.root, s.program.Module, "cmd", s.program.Name, name)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: read what belongs to %s: %w", clusters.ErrEnvironment, s.program.Name, err)
	}
	return data, nil
}
