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

package sim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"tags.cncf.io/container-device-interface/pkg/cdi"
	cdispec "tags.cncf.io/container-device-interface/specs-go"

	"github.com/dra-conformance/dratest/drivers/sim/inject"
)

// cdiStore has the CDI files of one driver: one per prepared claim. They are also the only record of prepared claims,
// so it survives a restart.
type cdiStore struct {
	driver string
	dir    string
}

// write makes a claim's devices known to the container runtime.
func (s cdiStore) write(spec *cdispec.Spec) error {
	// The CDI package writes only through a cache; it reads the directory once and is then discarded.
	cache, err := cdi.NewCache(cdi.WithAutoRefresh(false), cdi.WithSpecDirs(s.dir))
	if err != nil {
		return fmt.Errorf("open CDI directory %s: %w", s.dir, err)
	}
	if err := cache.WriteSpec(spec, inject.FileName(s.driver, inject.SpecUID(spec))); err != nil {
		return fmt.Errorf("write CDI spec: %w", err)
	}
	return nil
}

// remove forgets a claim; one that is not prepared is no error.
func (s cdiStore) remove(uid types.UID) error {
	err := os.Remove(filepath.Join(s.dir, inject.FileName(s.driver, uid)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove CDI spec: %w", err)
	}
	return nil
}

// prepared lists the prepared claims in order of their UIDs.
func (s cdiStore) prepared() ([]types.UID, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list prepared claims: %w", err)
	}
	var uids []types.UID
	for _, entry := range entries {
		if uid, ok := inject.UID(s.driver, entry.Name()); ok {
			uids = append(uids, uid)
		}
	}
	return uids, nil
}

func (s cdiStore) specs() ([]*cdispec.Spec, error) {
	uids, err := s.prepared()
	if err != nil {
		return nil, err
	}
	var specs []*cdispec.Spec
	for _, uid := range uids {
		spec, err := cdi.ReadSpec(filepath.Join(s.dir, inject.FileName(s.driver, uid)), 0)
		if err != nil {
			return nil, fmt.Errorf("read CDI spec of claim %s: %w", uid, err)
		}
		specs = append(specs, spec.Spec)
	}
	return specs, nil
}

func (s cdiStore) removeAll() error {
	uids, err := s.prepared()
	errs := []error{err}
	for _, uid := range uids {
		errs = append(errs, s.remove(uid))
	}
	return errors.Join(errs...)
}

// metadata lists the driver library's CDI files for metadata, named as in k8s.io/dynamic-resource-allocation v0.37.1,
// kubeletplugin/metadata.go.
func (s cdiStore) metadata() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list CDI files with metadata: %w", err)
	}
	var paths []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), s.driver+"_metadata_") && strings.HasSuffix(entry.Name(), ".json") {
			paths = append(paths, filepath.Join(s.dir, entry.Name()))
		}
	}
	return paths, nil
}

func (s cdiStore) removeMetadata() error {
	paths, err := s.metadata()
	errs := []error{err}
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("remove CDI file with metadata: %w", err))
		}
	}
	return errors.Join(errs...)
}

// held lists the claims with any files: prepared ones, and those with leftover metadata.
func (s cdiStore) held() ([]types.UID, error) {
	uids, err := s.prepared()
	if err != nil {
		return nil, err
	}
	paths, err := s.metadata()
	for _, path := range paths {
		uid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), s.driver+"_metadata_"), "_")
		uids = append(uids, types.UID(uid))
	}
	slices.Sort(uids)
	return slices.Compact(uids), err
}
