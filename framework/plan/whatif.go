package plan

import "github.com/dra-conformance/dratest/framework/spec"

// SkipWhatIf is the code of cases that ask dra-whatif, and of those that add simulated nodes
// for that, where a run cannot.
const SkipWhatIf spec.SkipCode = "WhatIfNotAvailable"

// WithoutWhatIf is a plan in which the cases that ask dra-whatif do not run; text says why,
// and what to do about it. Those that did not run anyway keep their reason.
func WithoutWhatIf(p spec.Plan, text string) spec.Plan {
	return without(p, func(n spec.Needs) bool { return n.WhatIf }, spec.Skip{Code: SkipWhatIf, Text: text})
}

// WithoutAddedNodes is the same for those of the cases that add simulated nodes.
func WithoutAddedNodes(p spec.Plan, text string) spec.Plan {
	return without(p, func(n spec.Needs) bool { return n.WhatIf && n.NoKubelet }, spec.Skip{Code: SkipWhatIf, Text: text})
}

// without skips the entries with needs.
func without(p spec.Plan, needs func(spec.Needs) bool, skip spec.Skip) spec.Plan {
	entries := make([]spec.Entry, 0, len(p.Entries))
	for _, e := range p.Entries {
		if e.Skip == nil && needs(e.Meta.Needs) {
			e.Skip = &skip
		}
		entries = append(entries, e)
	}
	p.Entries = entries
	return p
}
