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

package diff

import (
	"fmt"
	"strings"

	"github.com/dra-conformance/dratest/reports/schema"
)

// Text renders a diff as text.
func Text(d Diff) string {
	var b strings.Builder
	for _, note := range d.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	for _, v := range d.Verdicts {
		how := "better"
		if v.Worse {
			how = "worse"
		}
		fmt.Fprintf(&b, "%-6s %s: %s -> %s\n", how, v.Name, orNothing(string(v.A)), orNothing(string(v.B)))
	}
	for _, c := range d.Changed {
		how := "better"
		switch {
		case c.Worse:
			how = "worse"
		case rank(c.A) == rank(c.B):
			how = "other"
		}
		fmt.Fprintf(&b, "%-6s %s: %s -> %s", how, c.Case, word(c.A), word(c.B))
		if line, _, _ := strings.Cut(c.Reason, "\n"); line != "" {
			fmt.Fprintf(&b, ": %s", line)
		}
		b.WriteString("\n")
	}
	for _, s := range d.Slower {
		fmt.Fprintf(&b, "slower %s: %.1fs -> %.1fs\n", s.Case, s.A, s.B)
	}
	for _, f := range d.Configuration {
		fmt.Fprintf(&b, "config %s: %s -> %s\n", f.Path, orNothing(f.A), orNothing(f.B))
	}
	switch {
	case d.Worse:
		b.WriteString("worse\n")
	case len(d.Changed)+len(d.Verdicts) > 0:
		b.WriteString("not worse\n")
	default:
		b.WriteString("all cases came to the same\n")
	}
	return b.String()
}

func word(r schema.CaseResult) string { return orNothing(string(r)) }

func orNothing(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}
