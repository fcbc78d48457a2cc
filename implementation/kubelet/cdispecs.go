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
	"sync"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/sets"
	"tags.cncf.io/container-device-interface/pkg/cdi"
	"tags.cncf.io/container-device-interface/pkg/parser"

	"github.com/dra-conformance/dratest/implementation/limit"
)

// cdiSpecs caches the CDI devices of a node. The library's cache rereads all specs after any
// change, which comes with every pod; this one rereads changed files only.
type cdiSpecs struct {
	dirs []string

	mu    sync.Mutex
	files map[string]cdiSpec // by path; replaced, never changed
}

type cdiSpec struct {
	info    fs.FileInfo
	devices []string
}

// devices returns the resolvable qualified names. As in the library, a name in two specs of one
// directory resolves to neither, and unreadable specs have no devices. Nothing is locked while files are read.
func (s *cdiSpecs) devices() sets.Set[string] {
	s.mu.Lock()
	known := s.files
	s.mu.Unlock()
	found, conflicts := sets.New[string](), sets.New[string]()
	files := make(map[string]cdiSpec, len(known))
	for priority, dir := range s.dirs {
		inDir := sets.New[string]()
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			path := filepath.Join(dir, entry.Name())
			if ext := filepath.Ext(path); entry.IsDir() || (ext != ".json" && ext != ".yaml") {
				continue
			}
			spec := known[path].now(path, priority)
			files[path] = spec
			for _, device := range spec.devices {
				if inDir.Has(device) {
					conflicts.Insert(device)
				}
				inDir.Insert(device)
			}
		}
		found = found.Union(inDir)
	}
	s.mu.Lock()
	s.files = files
	s.mu.Unlock()
	return found.Difference(conflicts)
}

// now returns the content of a file, reread if it has changed.
func (s cdiSpec) now(path string, priority int) cdiSpec {
	info, err := os.Stat(path)
	if err != nil {
		return cdiSpec{}
	}
	if s.info != nil && os.SameFile(s.info, info) && s.info.ModTime().Equal(info.ModTime()) && s.info.Size() == info.Size() {
		return s
	}
	spec, err := readSpec(path, priority)
	if err != nil {
		return cdiSpec{}
	}
	current := cdiSpec{info: info}
	for _, device := range spec.Devices {
		current.devices = append(current.devices, parser.QualifiedName(spec.GetVendor(), spec.GetClass(), device.Name))
	}
	return current
}

// maxSpec is the size limit of a CDI spec, in bytes. Specs of nodes with hundreds of devices take 1 MiB.
const maxSpec = 4 << 20

// readSpec is cdi.ReadSpec of a regular file of at most maxSpec bytes. Containers may be able to write to the directory,
// and a FIFO or an endless file in it would block all pods with claims. The library only reads from paths, so readSpec
// passes it the path of a copy in memory.
func readSpec(path string, priority int) (spec *cdi.Spec, err error) {
	content, err := limit.ReadFile(path, maxSpec)
	if err != nil {
		return nil, err
	}
	descriptor, err := unix.MemfdCreate("cdi", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("copy CDI spec %s: %w", path, err)
	}
	file := os.NewFile(uintptr(descriptor), path)
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(content); err != nil {
		return nil, fmt.Errorf("copy CDI spec %s: %w", path, err)
	}
	return cdi.ReadSpec(fmt.Sprintf("/proc/self/fd/%d", descriptor), priority)
}
