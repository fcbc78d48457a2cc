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

package catalogue

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
)

const gapsHeader = "# Requirements that passing cases do not observe whole: in part, open (no case) or not observable.\n" +
	"# CONTRIBUTING.md explains how to remove a row. \"make generate\" counts, and rejects more requirements in part or open.\n#\n" +
	"#               whole  in part  open  not observable\n"

// Coverage counts requirements by state.
type Coverage struct {
	Whole, InPart, Open, NotObservable int
}

func (c *Coverage) add(state spec.GapState) {
	switch state {
	case spec.InPart:
		c.InPart++
	case spec.Open:
		c.Open++
	case spec.NotObservable:
		c.NotObservable++
	default:
		c.Whole++
	}
}

// row returns a line of the table in gaps.yaml.
func (c *Coverage) row(name string) string {
	return fmt.Sprintf("# %-13s %5d  %7d  %4d  %14d\n", name, c.Whole, c.InPart, c.Open, c.NotObservable)
}

// TotalCoverage returns the last row of the table in gaps.yaml.
func TotalCoverage(content []byte) (Coverage, error) {
	var c Coverage
	for line := range strings.Lines(string(content)) {
		if _, err := fmt.Sscanf(line, "# total %d %d %d %d", &c.Whole, &c.InPart, &c.Open, &c.NotObservable); err == nil {
			return c, nil
		}
	}
	return c, fmt.Errorf("no row %q in the table of gaps.yaml", "# total")
}

// Grown returns an error if more requirements are in part or open than before.
func (c *Coverage) Grown(before Coverage) error {
	if c.InPart > before.InPart || c.Open > before.Open {
		return fmt.Errorf("%d requirements are in part and %d open, at most %d and %d may be: write cases for new ones",
			c.InPart, c.Open, before.InPart, before.Open)
	}
	return nil
}

// GapProblems returns contradictions between the rows of gaps.yaml, the requirements and the cases
// checking them.
func GapProblems(all []spec.Requirement, gaps []spec.Gap, checked map[spec.RequirementID]bool) []string {
	var problems []string
	state := map[spec.RequirementID]spec.GapState{}
	for _, g := range gaps {
		if state[g.ID] != "" {
			problems = append(problems, fmt.Sprintf("%s has two rows", g.ID))
		}
		state[g.ID] = g.State
		if problem := g.Problem(); problem != "" {
			problems = append(problems, fmt.Sprintf("%s %s", g.ID, problem))
		}
	}
	for _, r := range all {
		switch s := state[r.ID]; {
		case s == "" && !checked[r.ID]:
			problems = append(problems, fmt.Sprintf("%s is checked by no case: write one, or list it as open", r.ID))
		case s == spec.InPart && !checked[r.ID]:
			problems = append(problems, fmt.Sprintf("%s is in part, but no case checks it: it is open", r.ID))
		case (s == spec.Open || s == spec.NotObservable) && checked[r.ID]:
			problems = append(problems, fmt.Sprintf("%s is %s, but a case checks it: delete the row, or say what the case misses", r.ID, s))
		}
		delete(state, r.ID)
	}
	for id := range state {
		problems = append(problems, fmt.Sprintf("%s is no requirement", id))
	}
	slices.Sort(problems)
	return problems
}

// RenderGaps returns gaps.yaml: the number of requirements in each state by level and by document, and
// the sorted rows.
func RenderGaps(all []spec.Requirement, gaps []spec.Gap) ([]byte, Coverage, error) {
	gaps = slices.SortedFunc(slices.Values(gaps), func(a, b spec.Gap) int { return cmp.Compare(a.ID, b.ID) })
	rows, err := yaml.Marshal(gaps)
	if err != nil {
		return nil, Coverage{}, fmt.Errorf("render gaps.yaml: %w", err)
	}
	state := map[spec.RequirementID]spec.GapState{}
	for _, g := range gaps {
		state[g.ID] = g.State
	}
	var total Coverage
	levels, areas := map[string]*Coverage{}, map[string]*Coverage{}
	count := func(in map[string]*Coverage, key string, s spec.GapState) {
		if in[key] == nil {
			in[key] = &Coverage{}
		}
		in[key].add(s)
	}
	for _, r := range all {
		document, _, _ := strings.Cut(string(r.ID), "/")
		count(levels, string(r.Level), state[r.ID])
		count(areas, document, state[r.ID])
		total.add(state[r.ID])
	}
	var b strings.Builder
	b.WriteString(gapsHeader)
	for _, l := range []spec.Level{spec.Must, spec.Should, spec.May} {
		if c := levels[string(l)]; c != nil {
			b.WriteString(c.row(string(l)))
		}
	}
	for _, document := range slices.Sorted(maps.Keys(areas)) {
		b.WriteString(areas[document].row(document))
	}
	b.WriteString(total.row("total"))
	return append([]byte(b.String()), rows...), total, nil
}
