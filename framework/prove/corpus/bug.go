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

package corpus

import (
	"embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/prove/components"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Components of bugs, in addition to those of Kubernetes.
const (
	// Library is k8s.io/dynamic-resource-allocation, as used by drivers. Its allocator is part of the scheduler.
	Library = "library"
	// Driver is a DRA driver.
	Driver = "driver"
	// Tool is a client of the API, such as an autoscaler.
	Tool = "tool"
)

// Bug is a published bug.
type Bug struct {
	// ID is the bug's pull request or issue, as "kubernetes#141274" or "owner/repository#1".
	ID string `json:"bug"`
	// Also lists further pull requests and issues of the bug, such as cherry picks.
	Also []string `json:"also,omitempty"`
	// What is the behavior, Promise the broken promise.
	What    string `json:"what"`
	Promise string `json:"promise"`
	// Component has the bug.
	Component string `json:"component"`
	// Introduced and Fixed are versions of Kubernetes, if published.
	Introduced string   `json:"introduced,omitempty"`
	Fixed      []string `json:"fixed,omitempty"`
	// Source is where the entry was found: "changelog VERSION"; "thread" is the public thread itself, "repository" a
	// mutant, known issue or check of this repository.
	Source string `json:"source"`
	// Missed is the reason why nothing detects a bug that cannot be tried.
	Missed string `json:"missed,omitempty"`
	// NotApplicable is the reason why no test of a cluster or driver could show the bug.
	NotApplicable string `json:"notApplicable,omitempty"`
}

// Search documents the search for bugs.
type Search struct {
	Date string `json:"date"`
	// Changelogs were searched for lines matching Lines.
	Changelogs []string `json:"changelogs"`
	Lines      string   `json:"lines"`
	// Modules are pairs of published versions compared for fixes.
	Modules []string `json:"modules"`
	// Queries are queries to an index of public issues and pull requests.
	Queries []string `json:"queries"`
	// Rules decide which bugs are listed.
	Rules []string `json:"rules"`
}

var (
	//go:embed bugs
	files embed.FS
	//go:embed search.yaml
	search []byte
)

// Load returns all bugs in file order, or one error with all problems.
func Load() ([]Bug, error) {
	bugs, err := components.LoadAll(files, "bugs", func(_ string, b *Bug) (string, error) { return b.ID, b.validate() })
	if err != nil {
		return nil, err
	}
	var errs []error
	seen := map[string]string{}
	for _, b := range bugs {
		for _, id := range b.Names() {
			if other, ok := seen[id]; ok {
				errs = append(errs, fmt.Errorf("%s belongs to %s and %s", id, other, b.ID))
			}
			seen[id] = b.ID
		}
	}
	return bugs, errors.Join(errs...)
}

// LoadSearch returns the documentation of the search.
func LoadSearch() (s Search, err error) {
	if err := yaml.UnmarshalStrict(search, &s); err != nil {
		return s, fmt.Errorf("read search.yaml: %w", err)
	}
	return s, nil
}

// Names returns all issues and pull requests of the bug.
func (b Bug) Names() []string { return append([]string{b.ID}, b.Also...) }

var (
	idPattern     = regexp.MustCompile(`^(kubernetes|[\w.-]+/[\w.-]+)#[1-9]\d*$`)
	versionText   = regexp.MustCompile(`^1\.\d+\.\d+$`)
	sourcePattern = regexp.MustCompile(`^(thread|repository|changelog 1\.\d+\.\d+(-\w+\.\d+)?)$`)
)

func (b Bug) validate() error {
	var problems []string
	for _, id := range b.Names() {
		if !idPattern.MatchString(id) || strings.HasPrefix(id, "kubernetes/kubernetes#") {
			problems = append(problems, fmt.Sprintf("%q must be like kubernetes#1 or owner/repository#1", id))
		}
	}
	if !strings.HasSuffix(b.What, ".") || !strings.HasSuffix(b.Promise, ".") {
		problems = append(problems, "what and promise must be sentences ending with a full stop")
	}
	known := append(spec.Replaceable(), spec.APIServer, Library, Driver, Tool)
	if !slices.Contains(known, b.Component) {
		problems = append(problems, "component must be one of "+strings.Join(known, ", "))
	}
	for _, v := range b.Fixed {
		if !versionText.MatchString(v) {
			problems = append(problems, fmt.Sprintf("fixed: %q must be a release like 1.37.1", v))
		}
	}
	if b.Introduced != "" && !versionText.MatchString(b.Introduced) {
		problems = append(problems, fmt.Sprintf("introduced: %q must be a release like 1.37.1", b.Introduced))
	}
	if !sourcePattern.MatchString(b.Source) {
		problems = append(problems, "source must be thread, repository or changelog VERSION")
	}
	for name, reason := range map[string]string{"missed": b.Missed, "notApplicable": b.NotApplicable} {
		if reason != "" && !strings.HasSuffix(reason, ".") {
			problems = append(problems, name+" must be a sentence ending with a full stop")
		}
	}
	if b.Missed != "" && b.NotApplicable != "" {
		problems = append(problems, "missed and notApplicable exclude each other")
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("bug %s: %s", b.ID, strings.Join(problems, "; "))
}
