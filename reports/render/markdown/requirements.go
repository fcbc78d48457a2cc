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

package markdown

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// requirements writes each requirement with its level and the results of its cases.
func requirements(b *strings.Builder, cases []schema.Case) {
	texts := map[spec.RequirementID]spec.Requirement{}
	checked := map[spec.RequirementID][]string{}
	for _, c := range cases {
		for _, r := range c.Requirements {
			texts[r.ID] = r
			checked[r.ID] = append(checked[r.ID], fmt.Sprintf("`%s` %s", c.ID, result(c)))
		}
	}
	if len(texts) == 0 {
		return
	}
	b.WriteString("\n## Requirements\n\n| level | requirement | text | section | cases |\n|---|---|---|---|---|\n")
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		r := texts[id]
		fmt.Fprintf(b, "| %s | `%s` | %s | %s | %s |\n", r.Level, id, cell(r.Text), cell(r.Section), strings.Join(checked[id], ", "))
	}
}

func result(c schema.Case) string {
	word := map[spec.Status]string{
		spec.Passed: "passed", spec.Failed: "failed", spec.Known: "known issue", spec.Unreviewed: "unreviewed known issue", spec.Blocked: "blocked", spec.NotApplicable: "not applicable",
	}[c.Status]
	switch {
	case c.Warning():
		word = "warning"
	case c.FailedAsExpected():
		word = "failed as expected"
	}
	return word
}
