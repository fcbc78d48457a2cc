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

package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// file is the record's name in a cluster's directory.
const file = "cluster.json"

// Store is a directory with one subdirectory per cluster, holding its record of type R.
type Store[R any] struct{ Dir string }

// Folder is the directory of a cluster.
func (s Store[R]) Folder(name string) string { return filepath.Join(s.Dir, name) }

// File holds a cluster's record.
func (s Store[R]) File(name string) string { return filepath.Join(s.Dir, name, file) }

// Kubeconfig is where a cluster's own one lies.
func (s Store[R]) Kubeconfig(name string) string { return filepath.Join(s.Dir, name, "kubeconfig") }

// Load returns the record of a cluster; ok is false if there is none.
func (s Store[R]) Load(name string) (r R, ok bool, err error) {
	data, err := os.ReadFile(s.File(name))
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	if err != nil {
		return r, false, fmt.Errorf("read what is known about cluster %q: %w", name, err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, false, fmt.Errorf("read what is known about cluster %q: %s: %w", name, s.File(name), err)
	}
	return r, true, nil
}

// MustLoad is Load with an error for a missing cluster.
func (s Store[R]) MustLoad(name string) (R, error) {
	r, ok, err := s.Load(name)
	if err == nil && !ok {
		err = fmt.Errorf("no cluster %q was made by dratest (see \"dratest cluster list\")", name)
	}
	return r, err
}

// Save replaces the record atomically.
func (s Store[R]) Save(name string, r R) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("remember cluster %q: %w", name, err)
	}
	if err := os.MkdirAll(s.Folder(name), 0o700); err != nil {
		return fmt.Errorf("remember cluster %q: %w", name, err)
	}
	if err := renameio.WriteFile(s.File(name), append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("remember cluster %q: %w", name, err)
	}
	return nil
}

// Forget removes the record; the directory goes when its lock is released.
func (s Store[R]) Forget(name string) error {
	if err := os.Remove(s.File(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget cluster %q: %w", name, err)
	}
	return nil
}

// All returns the records of all clusters, by name.
func (s Store[R]) All() ([]R, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list clusters: %w", err)
	}
	var records []R
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		r, ok, err := s.Load(e.Name())
		if err != nil {
			return nil, err
		}
		if ok {
			records = append(records, r)
		}
	}
	return records, nil
}
