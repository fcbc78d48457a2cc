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

package certify

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// printPreflight prints the cases to run, the skipped ones with reasons, and the estimated time.
func printPreflight(out io.Writer, d declarations.Declaration, s observation, p spec.Plan, parallel int, estimate string) {
	var b strings.Builder
	id := d.Identity
	fmt.Fprintf(&b, "\ndriver    %s: %s %s of %s\n", d.Driver, id.Project, id.Version, id.Organization)
	fmt.Fprintf(&b, "cluster   %s at %s\n", p.Target, p.Target.Server)
	for _, node := range s.nodes() {
		fmt.Fprintf(&b, "node      %s: %d device(s) of class %s, %d free\n", node, len(s.devices[node]), d.Classes[0].Name, s.free[node])
	}
	for _, line := range s.leftOut {
		fmt.Fprintf(&b, "not used  %s\n", line)
	}
	for _, i := range slices.Sorted(maps.Keys(s.others)) {
		fmt.Fprintf(&b, "class     %s: for %s, at least %d free device(s) on each node that has some\n", d.Classes[i].Name, joined(d.Classes[i].Features), s.others[i].least())
	}
	for _, line := range slices.Concat(s.short, s.held) {
		fmt.Fprintf(&b, "!!        %s\n", line)
	}
	fmt.Fprintf(&b, "features  %s\n", featureLine(d.Features, s.observed))
	for _, unused := range unusedParts(d) {
		fmt.Fprintf(&b, "unused    %s\n", unused)
	}
	var runs []string
	for _, e := range p.Entries {
		if e.Skip != nil {
			fmt.Fprintf(&b, "left out  %s: %s\n", e.Meta.ID, e.Skip.Text)
			continue
		}
		runs = append(runs, e.Meta.ID)
	}
	fmt.Fprintf(&b, "to run    %d cases, %d at a time%s: %s\n", len(runs), parallel, estimate, strings.Join(runs, ", "))
	_, _ = io.WriteString(out, b.String())
}

func joined(features []spec.DriverFeature) string {
	words := make([]string, 0, len(features))
	for _, f := range features {
		words = append(words, string(f))
	}
	return strings.Join(words, ", ")
}

func featureLine(declared declarations.Features, observed map[spec.DriverFeature]bool) string {
	var parts []string
	for _, f := range spec.DriverFeatures() {
		switch is, said := declared[f]; {
		case said && is:
			parts = append(parts, string(f)+" (declared)")
		case said:
			parts = append(parts, "not "+string(f)+" (declared)")
		case observed[f]:
			parts = append(parts, string(f)+" (observed)")
		}
	}
	if len(parts) == 0 {
		return "none beyond the core"
	}
	return strings.Join(parts, ", ")
}

func unusedParts(d declarations.Declaration) []string {
	var parts []string
	for _, c := range d.Classes[1:] {
		if len(c.Features) == 0 {
			parts = append(parts, fmt.Sprintf("class %s, which is not the first one and names no features: no case uses it yet", c.Name))
		}
	}
	return parts
}

// printVerdict prints a certificate. The last line is machine-readable.
func printVerdict(out io.Writer, certificate schema.Certificate, d declarations.Declaration, dir string) {
	j := certificate.Judgement
	var b strings.Builder
	b.WriteString("\n")
	for _, part := range []struct {
		name  string
		lines []string
	}{{"failure: ", j.Failures}, {"missing: ", j.Missing}, {"note: ", j.Notes}} {
		for _, line := range part.lines {
			fmt.Fprintf(&b, "%s%s\n", part.name, line)
		}
	}
	for _, f := range slices.Sorted(maps.Keys(j.Exercised)) {
		fmt.Fprintf(&b, "feature %s: %s\n", f, strings.Join(j.Exercised[f], ", "))
	}
	for _, p := range spec.DriverProfiles() {
		unjudged := schema.DriverVerdict("not applicable: the driver declares nothing for it")
		if p == spec.ProfileLoad {
			unjudged = "not tested (--load)"
		}
		fmt.Fprintf(&b, "profile %s: %s\n", p, cmp.Or(j.Profiles[p], unjudged))
	}
	for _, c := range j.Costs {
		fmt.Fprintf(&b, "cost %s\n", c)
	}
	for _, c := range certificate.Observations.VendorCases {
		fmt.Fprintf(&b, "vendor's case, not counted: %s: %s\n", c.Name, c.Line())
	}
	fmt.Fprintf(&b, "certificate: %s\n%s %s: %s\n", dir, d.Driver, d.Identity.Version, j.Verdict)
	_, _ = io.WriteString(out, b.String())
}
