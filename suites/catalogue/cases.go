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
	"fmt"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
)

// RenderCases returns a Markdown document of each case with its promises and their gaps, its needs and
// detected mutants.
func RenderCases(cases []spec.Meta, all []spec.Requirement, gaps []spec.Gap, detections []Detection) []byte {
	texts, missed := map[spec.RequirementID]spec.Requirement{}, map[spec.RequirementID]string{}
	for _, r := range all {
		texts[r.ID] = r
	}
	for _, g := range gaps {
		missed[g.ID] = " (" + string(g.State) + ": " + g.Why + ")"
	}
	detected := map[string][]string{}
	for _, k := range detections {
		for _, id := range k.By {
			detected[id] = append(detected[id], "`"+k.Mutant+"`")
		}
	}
	var b strings.Builder
	b.WriteString("# Cases\n\n" +
		"Each case with its level, the requirements it checks with their sources and what all cases miss of them, its needs, and\n" +
		"the mutants and bugs it has detected (`dratest list --mutants -o markdown`).\n")
	area := ""
	for _, c := range cases {
		if c.Area() != area {
			area = c.Area()
			fmt.Fprintf(&b, "\n## %s\n", area)
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s (%s)\n\n", c.ID, c.Checks, level(c, texts))
		for _, id := range c.Requires {
			r := texts[id]
			fmt.Fprintf(&b, "- `%s`, %s, %s: %s%s\n", id, r.Level, r.Section, r.Text, missed[id])
		}
		if words := c.Needs.Descriptions(); len(words) > 0 {
			fmt.Fprintf(&b, "- needs: %s\n", strings.Join(words, ", "))
		}
		if m := detected[c.ID]; len(m) > 0 {
			slices.Sort(m)
			fmt.Fprintf(&b, "- detects: %s\n", strings.Join(slices.Compact(m), ", "))
		}
		if c.NoMutant != "" {
			fmt.Fprintf(&b, "- has no mutant: %s\n", c.NoMutant)
		}
	}
	return []byte(b.String())
}

// level returns the most binding level of a case's promises.
func level(c spec.Meta, texts map[spec.RequirementID]spec.Requirement) spec.Level {
	for _, l := range []spec.Level{spec.Must, spec.Should} {
		if slices.ContainsFunc(c.Requires, func(id spec.RequirementID) bool { return texts[id].Level == l }) {
			return l
		}
	}
	return spec.May
}
