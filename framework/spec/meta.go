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

package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// RequirementID names one requirement of Kubernetes, as "kep-4381/prepare-idempotent"; the texts are in
// suites/requirements.
type RequirementID string

// MutantID names a mutant of a component or driver to be caught by a case.
type MutantID string

// Level says how binding a requirement is (RFC 2119).
type Level string

// The levels of a requirement.
const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
	May    Level = "MAY"
)

// Requirement is a requirement of Kubernetes checked by cases.
type Requirement struct {
	ID    RequirementID `json:"id"`
	Level Level         `json:"level"`
	// Keeper is the responsible component: api, scheduler, controllers, kubelet, driver or runtime.
	Keeper string `json:"keeper"`
	// Since is the first release satisfying it by default, as "v1.34"; empty for features off by default, and if
	// unknown.
	Since string `json:"since,omitempty"`
	// Area is the area of cases for a promise outside of v1 of the API; empty for most.
	Area string `json:"area,omitempty"`
	// Section is its source, as "KEP-4381, Kubelet" or an upstream file with its version.
	Section string `json:"section"`
	Text    string `json:"text"`
	// Differs is how Kubernetes deviates from the document, and where.
	Differs string `json:"differs,omitempty"`
	// Sources are the lines of documents with the requirement, from suites/requirements/index.
	Sources []Source `json:"-"`
}

// Source is a place in one of the project's documents, first to last line.
type Source struct {
	Document    string
	First, Last int
}

// Meta describes a case's check and its needs. It is data: the plan, the catalogue, the labels and the reports are
// derived from it.
type Meta struct {
	// ID is "area/what-happens", unique, and never reused for something else.
	ID string `json:"id"`
	// Aliases are earlier IDs of a renamed case. Filters match them, and histories continue.
	Aliases []string `json:"aliases,omitempty"`
	// Checks is one sentence with the checked behavior.
	Checks string `json:"checks"`
	// Requires lists the checked requirements; at least one.
	Requires []RequirementID `json:"requires"`
	Needs    Needs           `json:"needs"`
	// Catches lists the mutants that must make the case fail.
	Catches []MutantID `json:"catches,omitempty"`
	// NoMutant is why no mutant of this project can make the case fail; empty for all but a few.
	NoMutant string `json:"noMutant,omitempty"`
	// KnownIssue is Kubernetes' known deviation; nil for most cases.
	KnownIssue *KnownIssue `json:"knownIssue,omitempty"`
	// WaitsFor names a delay of Kubernetes' own the case has to wait for, with its source; empty for all cases ending
	// within 20 s.
	WaitsFor string `json:"waitsFor,omitempty"`
	// SerialBecause is why no other case may run in parallel; empty for parallel cases.
	SerialBecause string `json:"serialBecause,omitempty"`
	// HoldsNode reports that SerialBecause is about the case's node only: other cases may run in parallel on other nodes.
	HoldsNode bool `json:"holdsNode,omitempty"`
	// Timeout bounds Run; zero means DefaultTimeout.
	Timeout time.Duration `json:"timeout,omitempty"`
}

// Claims reports whether the case checks one of these requirements.
func (m Meta) Claims(promises []RequirementID) bool {
	return slices.ContainsFunc(promises, func(id RequirementID) bool { return slices.Contains(m.Requires, id) })
}

// DefaultTimeout is the default timeout of a case.
const DefaultTimeout = 2 * time.Minute

var idPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$`)

// ValidID reports whether a case ID is valid: "area/what-happens".
func ValidID(id string) bool { return idPattern.MatchString(id) }

// Validate returns all problems of a case's data at once, one per line, or nil.
func (m Meta) Validate() error {
	var problems []string
	if !ValidID(m.ID) || slices.ContainsFunc(m.Aliases, func(id string) bool { return !ValidID(id) }) {
		problems = append(problems, `id must look like "area/what-happens"`)
	}
	if !strings.HasSuffix(m.Checks, ".") {
		problems = append(problems, "checks must be a sentence ending with a full stop")
	}
	if len(m.Requires) == 0 {
		problems = append(problems, "requires must name at least one requirement")
	}
	if m.NoMutant != "" && len(m.Catches) > 0 {
		problems = append(problems, "noMutant must not be set where catches names one")
	}
	if m.HoldsNode && (m.SerialBecause == "" || m.Needs.LeastNodes() != 1 || m.Needs.NoKubelet || m.Needs.Restarts == ControlPlane) {
		problems = append(problems, "holdsNode requires serialBecause and exactly one node with a kubelet, and excludes restarts of the control plane")
	}
	for _, row := range needs {
		if row.problems != nil && row.wanted(m.Needs) {
			problems = append(problems, row.problems(m)...)
		}
	}
	if m.KnownIssue != nil {
		if err := m.KnownIssue.Validate(); err != nil {
			problems = append(problems, strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("case %q: %s", m.ID, strings.Join(problems, "; "))
}

// Area is the part of the ID before the slash: the suite's directory.
func (m Meta) Area() string {
	area, _, _ := strings.Cut(m.ID, "/")
	return area
}
