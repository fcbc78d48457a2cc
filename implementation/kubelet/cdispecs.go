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

// cdiSpecs knows the CDI devices of a node. The library's cache reads every spec anew
// when one changes, and on a busy node one changes with each pod: this one reads what
// has changed.
type cdiSpecs struct {
	dirs []string

	mu    sync.Mutex
	files map[string]cdiSpec // by path
}

type cdiSpec struct {
	info    fs.FileInfo
	devices []string
}

// devices returns the qualified names that resolve now. As in the library, a name that
// two specs of one directory have resolves to neither, and specs that cannot be read
// have no devices.
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

// now returns what a file has, read again if it is not the same file any more.
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
