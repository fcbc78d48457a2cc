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

package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// Bounds of a component's log; its end is kept.
const (
	MaxLog   = 16 << 20
	maxLines = 20000
)

// Evidence is the directory of a failed case or known issue. It records missing evidence.
type Evidence struct {
	dir     string
	folder  string
	missing []string
	written int
}

// OpenEvidence returns the directory of a case in a report directory, without evidence of a killed run. Close it.
func OpenEvidence(reportDir, id string) *Evidence {
	e := &Evidence{dir: filepath.Join(reportDir, folderOf(id)), folder: folderOf(id)}
	e.Problem("leftovers of an earlier run", os.RemoveAll(e.dir))
	return e
}

// Problem adds an error to missing.txt, unless it is nil.
func (e *Evidence) Problem(what string, err error) {
	if err != nil {
		e.missing = append(e.missing, fmt.Sprintf("%s: %v", what, err))
	}
}

// File writes a file below the directory, unless it is empty.
func (e *Evidence) File(name string, content []byte) {
	if len(content) == 0 {
		return
	}
	if !filepath.IsLocal(name) { // names come from nodes, too
		e.Problem(name, errors.New("is not a name within the directory"))
		return
	}
	path := filepath.Join(e.dir, name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, content, 0o644)
	}
	if err == nil {
		e.written++
	}
	e.Problem(name, err)
}

// Folder is its path relative to the report directory.
func (e *Evidence) Folder() string { return e.folder }

func (e *Evidence) useless() bool { return e.written == 0 }

// Object writes an object, or a list of objects, as YAML.
func (e *Evidence) Object(name string, o runtime.Object) {
	// Typed clients return lists and objects without their kind.
	if kinds, _, err := scheme.Scheme.ObjectKinds(o); err == nil && len(kinds) > 0 {
		o.GetObjectKind().SetGroupVersionKind(kinds[0])
	}
	content, err := yaml.Marshal(o)
	e.Problem(name, err)
	e.File(name, content)
}

// Close writes missing.txt.
func (e *Evidence) Close() {
	if len(e.missing) > 0 {
		e.File("missing.txt", []byte(strings.Join(e.missing, "\n")+"\n"))
	}
}
