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

package run

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// promises is a table of requirements with their cases and outcomes.
func promises(all []schema.Case) []byte {
	checked := map[spec.RequirementID][]schema.Case{}
	for _, c := range all {
		for _, r := range c.Requirements {
			checked[r.ID] = append(checked[r.ID], c)
		}
	}
	var b bytes.Buffer
	b.WriteString("\n## Promises\n\n| promise | case | result |\n|---|---|---|\n")
	for _, id := range slices.Sorted(maps.Keys(checked)) {
		for _, c := range checked[id] {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", id, strings.TrimPrefix(c.ID, "upgrade/"), result(c))
		}
	}
	return b.Bytes()
}

func result(c schema.Case) string {
	switch {
	case c.Status == spec.NotApplicable:
		return string(c.Status) + ": " + c.Reason
	case c.Warning():
		return string(c.Status) + ", a warning"
	default:
		return string(c.Status)
	}
}
