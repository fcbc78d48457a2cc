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

package sanity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"tags.cncf.io/container-device-interface/pkg/cdi"
)

// cdiState is a container runtime's view of a node's CDI files.
type cdiState struct {
	files map[string][]byte
	// devices are the resolved devices' contents by qualified name.
	devices map[string]string
	// problems are the CDI library's errors by file.
	problems map[string]string
}

// CDI reads the node's CDI files.
func (t *T) CDI() cdiState {
	files, err := t.Specs(t.ctx)
	t.need(err, "read CDI specs")
	state, err := resolve(files)
	t.need(err, "read CDI specs")
	return state
}

// resolve runs the CDI library on copies of the directories: a name in two files of one directory
// resolves to nothing.
func resolve(files map[string][]byte) (cdiState, error) {
	state := cdiState{files: files, devices: map[string]string{}, problems: map[string]string{}}
	root, err := os.MkdirTemp("", "dratest-cdi")
	if err != nil {
		return state, fmt.Errorf("copy CDI files: %w", err)
	}
	defer func() { _ = os.RemoveAll(root) }()
	var dirs []string
	copies, originals := map[string]string{}, map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		dir, ok := copies[filepath.Dir(path)]
		if !ok {
			dir = filepath.Join(root, strconv.Itoa(len(dirs)))
			if err := os.Mkdir(dir, 0o700); err != nil {
				return state, fmt.Errorf("copy CDI files: %w", err)
			}
			dirs, copies[filepath.Dir(path)] = append(dirs, dir), dir
		}
		name := filepath.Join(dir, filepath.Base(path))
		originals[name] = path
		if err := os.WriteFile(name, files[path], 0o600); err != nil {
			return state, fmt.Errorf("copy CDI files: %w", err)
		}
	}
	cache, err := cdi.NewCache(cdi.WithAutoRefresh(false), cdi.WithSpecDirs(dirs...))
	if err != nil {
		return state, fmt.Errorf("read CDI files: %w", err)
	}
	for name, errs := range cache.GetErrors() {
		if path, ok := originals[name]; ok {
			state.problems[path] = strings.ReplaceAll(fmt.Sprint(errs), root, "")
		}
	}
	for _, id := range cache.ListDevices() {
		device := cache.GetDevice(id)
		content, err := json.Marshal([]any{device.ContainerEdits, device.GetSpec().ContainerEdits})
		if err != nil {
			return state, fmt.Errorf("encode CDI device %s: %w", id, err)
		}
		state.devices[id] = string(content)
	}
	return state, nil
}

// unresolved returns the CDI devices unknown to a runtime, with possible reasons.
func (s cdiState) unresolved(ids []string) []string {
	var problems []string
	for _, id := range ids {
		if _, ok := s.devices[id]; ok {
			continue
		}
		problem := fmt.Sprintf("CDI device %s does not resolve", id)
		for _, path := range s.describing(id) {
			if s.problems[path] != "" {
				problem += fmt.Sprintf(" (%s: %s)", path, s.problems[path])
			}
		}
		problems = append(problems, problem)
	}
	return problems
}

// describing returns the files with the name of a CDI device, even if it does not resolve.
func (s cdiState) describing(id string) []string {
	kind, name, _ := strings.Cut(id, "=")
	if name == "" {
		return nil
	}
	// As a whole word: device-1 is not in a file with device-10.
	whole := regexp.MustCompile(`(^|[^\w.:-])` + regexp.QuoteMeta(name) + `($|[^\w.:-])`)
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		if bytes.Contains(s.files[path], []byte(kind)) && whole.Match(s.files[path]) {
			paths = append(paths, path)
		}
	}
	return paths
}

// gone returns the CDI devices that resolved before and no longer do. Another check covers devices that never resolved;
// gone returns them only if a file that contained their name is gone or no longer contains it.
func (s cdiState) gone(before cdiState, ids []string) []string {
	var problems []string
	for _, id := range ids {
		if _, wasThere := before.devices[id]; wasThere {
			problems = append(problems, s.unresolved([]string{id})...)
			continue
		}
		now := s.describing(id)
		for _, path := range before.describing(id) {
			if !slices.Contains(now, path) {
				problems = append(problems, fmt.Sprintf("CDI device %s is no longer in %s", id, path))
			}
		}
	}
	return problems
}

// changed also returns the CDI devices with different content than before.
func (s cdiState) changed(before cdiState, ids []string) []string {
	problems := s.gone(before, ids)
	for _, id := range ids {
		was, wasThere := before.devices[id]
		if is, ok := s.devices[id]; ok && wasThere && is != was {
			problems = append(problems, fmt.Sprintf("CDI device %s was %s and is now %s", id, was, is))
		}
	}
	return problems
}

// left returns the leftovers of an unprepared claim. Devices from before the claim may stay: some
// drivers describe them once for all claims.
func (s cdiState) left(before cdiState, claim *resourceapi.ResourceClaim, ids []string) []string {
	var problems []string
	for _, id := range ids {
		_, was := before.devices[id]
		if _, is := s.devices[id]; is && !was {
			problems = append(problems, fmt.Sprintf("CDI device %s is still there", id))
		}
	}
	for _, path := range s.of(claim) {
		problems = append(problems, fmt.Sprintf("%s of claim %s is still there", path, claim.UID))
	}
	return problems
}

// of returns the files of a claim, by its UID in name or content.
func (s cdiState) of(claim *resourceapi.ResourceClaim) []string {
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		if strings.Contains(filepath.Base(path), string(claim.UID)) || bytes.Contains(s.files[path], []byte(claim.UID)) {
			paths = append(paths, path)
		}
	}
	return paths
}

// made returns the files of a claim not present before.
func (s cdiState) made(before cdiState, claim *resourceapi.ResourceClaim) []string {
	return slices.DeleteFunc(s.of(claim), func(path string) bool { _, was := before.files[path]; return was })
}
