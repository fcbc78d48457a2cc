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
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"
	"tags.cncf.io/container-device-interface/pkg/cdi"
	"tags.cncf.io/container-device-interface/pkg/parser"
)

// cdiSpecs caches the CDI devices of a node. The library's cache rereads all specs after any
// change, which comes with every pod; this one rereads changed files only.
type cdiSpecs struct {
	dirs []string

	mu    sync.Mutex
	files map[string]cdiSpec // by path
}

type cdiSpec struct {
	info    fs.FileInfo
	devices []string
}

// devices returns the resolvable qualified names. As in the library, a name in two specs of one
// directory resolves to neither, and unreadable specs have no devices.
func (s *cdiSpecs) devices() sets.Set[string] {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, conflicts := sets.New[string](), sets.New[string]()
	files := make(map[string]cdiSpec, len(s.files))
	for priority, dir := range s.dirs {
		inDir := sets.New[string]()
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			path := filepath.Join(dir, entry.Name())
			if ext := filepath.Ext(path); entry.IsDir() || (ext != ".json" && ext != ".yaml") {
				continue
			}
			spec := s.files[path].now(path, priority)
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
	s.files = files
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
	spec, err := cdi.ReadSpec(path, priority)
	if err != nil {
		return cdiSpec{}
	}
	current := cdiSpec{info: info}
	for _, device := range spec.Devices {
		current.devices = append(current.devices, parser.QualifiedName(spec.GetVendor(), spec.GetClass(), device.Name))
	}
	return current
}
