package plan

import "github.com/dra-conformance/dratest/framework/spec"

// SkipFabric is the code of cases with a fabric of devices where a run cannot start one.
const SkipFabric spec.SkipCode = "FabricNotAvailable"

// WithoutFabrics is a plan in which the cases that need a fabric of devices do not run; text
// says why, and what to do about it. Those that did not run anyway keep their reason.
func WithoutFabrics(p spec.Plan, text string) spec.Plan {
	entries := make([]spec.Entry, 0, len(p.Entries))
	for _, e := range p.Entries {
		if e.Skip == nil && e.Meta.Needs.Composable {
			e.Skip = &spec.Skip{Code: SkipFabric, Text: text}
		}
		entries = append(entries, e)
	}
	p.Entries = entries
	return p
}
