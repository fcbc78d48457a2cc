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

package requirements

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
)

//go:embed *.yaml index/*.txt
var files embed.FS

// Load returns all requirements in file order, with their source lines. Errors name the file and
// the problem: unknown fields, duplicate ID, missing text.
func Load() ([]spec.Requirement, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("list requirements: %w", err)
	}
	var all []spec.Requirement
	seen := map[spec.RequirementID]bool{}
	for _, e := range entries {
		if e.IsDir() || e.Name() == gapsFile {
			continue
		}
		content, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, fmt.Errorf("read requirements: %w", err)
		}
		var file []spec.Requirement
		if err := yaml.UnmarshalStrict(content, &file); err != nil {
			return nil, fmt.Errorf("decode requirements/%s: %w", e.Name(), err)
		}
		for _, r := range file {
			if seen[r.ID] {
				return nil, fmt.Errorf("decode requirements/%s: %s is there twice", e.Name(), r.ID)
			}
			if problems := problemsOf(r); problems != "" {
				return nil, fmt.Errorf("decode requirements/%s: %s %s", e.Name(), r.ID, problems)
			}
			seen[r.ID] = true
		}
		all = append(all, file...)
	}
	return all, addSources(all)
}

// All is Load for programs. It panics on errors, as this package's tests have loaded the embedded
// files.
func All() []spec.Requirement { return slices.Clone(loaded()) }

var loaded = sync.OnceValue(func() []spec.Requirement {
	all, err := Load()
	if err != nil {
		panic(err)
	}
	return all
})

var (
	idPattern    = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$`)
	sincePattern = regexp.MustCompile(`^(v1\.\d+)?$`)
)

// problemsOf returns the problems of a requirement.
func problemsOf(r spec.Requirement) string {
	var problems []string
	if !idPattern.MatchString(string(r.ID)) {
		problems = append(problems, `needs an id like "document/what-holds"`)
	}
	if r.Section == "" || !strings.HasSuffix(r.Text, ".") {
		problems = append(problems, "needs a section, and a text ending with a full stop")
	}
	if r.Level != spec.Must && r.Level != spec.Should && r.Level != spec.May {
		problems = append(problems, fmt.Sprintf("has level %q, must be MUST, SHOULD or MAY", r.Level))
	}
	keepers := []string{"api", spec.Scheduler, spec.Controllers, spec.Kubelet, "driver", "runtime"}
	if !slices.Contains(keepers, r.Keeper) {
		problems = append(problems, fmt.Sprintf("has keeper %q, must be one of %s", r.Keeper, strings.Join(keepers, ", ")))
	}
	if !sincePattern.MatchString(r.Since) {
		problems = append(problems, fmt.Sprintf(`has since %q, must be empty or like "v1.34"`, r.Since))
	}
	if r.Differs != "" && !spec.Place.MatchString(r.Differs) {
		problems = append(problems, "must name the line of source with the difference")
	}
	return strings.Join(problems, "; ")
}

// addSources adds the indexed lines to each requirement.
func addSources(all []spec.Requirement) error {
	indexes, err := Indexes()
	if err != nil {
		return err
	}
	index := map[spec.RequirementID]*spec.Requirement{}
	for i := range all {
		index[all[i].ID] = &all[i]
	}
	for _, l := range indexes {
		for _, row := range l.Rows {
			for _, id := range row.Requirements {
				r := index[id]
				if r == nil {
					return fmt.Errorf("lines %d-%d of index %s: there is no requirement %s", row.First, row.Last, l.Document, id)
				}
				r.Sources = append(r.Sources, spec.Source{Document: l.Document, First: row.First, Last: row.Last})
			}
		}
	}
	return nil
}
