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

package components

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Mutant is a bug to build into a component.
type Mutant struct {
	// Its ID begins with the component, as in "kubelet-unprepare-forgotten".
	spec.Defect
	// OfCompanion: cases start the mutated program. Such mutants are in the directory companions.
	OfCompanion bool `json:"-"`
	// Stock: the mutant is of Kubernetes' own component.
	Stock bool `json:"-"`
	// Edits are the changes of the component's source.
	Edits []Edit `json:"edits"`
}

// Edit replaces one text by another.
type Edit struct {
	// File is relative to implementation/, or to the path of its module, as "k8s.io/kubernetes/cmd/kubelet/kubelet.go".
	File string `json:"file"`
	// Find must occur exactly once. The word ON in Replace is whether the mutant is on; if off, the program must behave
	// as with Find.
	Find    string `json:"find"`
	Replace string `json:"replace"`
	// At is the position of Find, if it may occur several times.
	At int `json:"-"`
}

// Component is the mutated program: scheduler, controllers, kubelet or a program of a companion.
func (m Mutant) Component() string {
	component, _, _ := strings.Cut(m.ID, "-")
	return component
}

// Components are those of the cluster, then those of companions.
func Components(mutants []Mutant) []string {
	all := ofCluster()
	for _, m := range mutants {
		if c := m.Component(); !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

func ofCluster() []string { return []string{spec.Scheduler, spec.Controllers, spec.Kubelet} }

// apiServer is the component of mutants of kube-apiserver. Those of any API server are in package apiserver.
const apiServer = "apiserver"

//go:embed mutants stock
var files embed.FS

// Load returns all mutants, by component, in the order of the files.
func Load() ([]Mutant, error) {
	return LoadAll(files, "mutants", func(file string, m *Mutant) (string, error) {
		m.OfCompanion = path.Base(path.Dir(file)) == "companions"
		return m.ID, m.validate()
	})
}

// StockProof is the name of the proof of LoadStock's mutants.
const StockProof = "stock"

// LoadStock returns the mutants of Kubernetes' own components: published bugs.
func LoadStock() ([]Mutant, error) {
	return LoadAll(files, "stock", func(_ string, m *Mutant) (string, error) {
		m.Stock = true
		return m.ID, m.validate()
	})
}

// LoadAll returns all entries of a directory and those below, in the order of the files; ready returns the ID and
// validates each. All problems are in one error.
func LoadAll[M any](files fs.FS, dir string, ready func(file string, entry *M) (id string, err error)) ([]M, error) {
	var names []string
	for _, pattern := range []string{dir + "/*.yaml", dir + "/*/*.yaml"} {
		found, err := fs.Glob(files, pattern)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", dir, err)
		}
		names = append(names, found...)
	}
	var all []M
	seen := map[string]bool{}
	var errs []error
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", dir, err)
		}
		var some []M
		if err := yaml.UnmarshalStrict(data, &some); err != nil {
			errs = append(errs, fmt.Errorf("read %s: %w", name, err))
		}
		for i := range some {
			id, err := ready(name, &some[i])
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			}
			if seen[id] {
				errs = append(errs, fmt.Errorf("%s: %s is there twice", name, id))
			}
			seen[id] = true
		}
		all = append(all, some...)
	}
	return all, errors.Join(errs...)
}

var (
	idPattern = regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)+$`)
	on        = regexp.MustCompile(`\bON\b`)
)

func (m Mutant) validate() error {
	var problems []string
	known := slices.Contains(ofCluster(), m.Component())
	if m.Stock {
		known = StockProgram(m.Component()) != ""
	}
	if !idPattern.MatchString(m.ID) || !m.OfCompanion && !known {
		problems = append(problems, "its ID must begin with the component: scheduler-, controllers-, of stock apiserver-, of own kubelet-, or that of a companion")
	}
	if !strings.HasSuffix(m.What, ".") {
		problems = append(problems, "what must be a sentence ending with a full stop")
	}
	if len(m.Requires) == 0 || len(m.Edits) == 0 {
		problems = append(problems, "requires and edits must not be empty")
	}
	for _, e := range m.Edits {
		if path.Clean(e.File) != e.File || path.Ext(e.File) != ".go" || strings.HasPrefix(e.File, "..") || m.Stock != inStockModule(e.File) {
			problems = append(problems, fmt.Sprintf("%q must be a Go file below implementation/, of stock components one of %s", e.File, strings.Join(StockModules(), ", ")))
		}
		if e.Find == "" || on.MatchString(e.Find) || !on.MatchString(e.Replace) {
			problems = append(problems, fmt.Sprintf("in %s find must be a text without ON, and replace one with it", e.File))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("mutant %s: %s", m.ID, strings.Join(problems, "; "))
}

func inStockModule(file string) bool {
	return slices.ContainsFunc(StockModules(), func(m string) bool { return strings.HasPrefix(file, m+"/") })
}
