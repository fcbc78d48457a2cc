package plan

import "github.com/dra-conformance/dratest/framework/spec"

// SkipClassic is the code of cases of classic DRA where a run cannot have that.
const SkipClassic spec.SkipCode = "ClassicNotAvailable"

// WithoutClassic is a plan in which the cases that need classic DRA do not run; text says
// why, and what to do about it. Those that did not run anyway keep their reason.
func WithoutClassic(p spec.Plan, text string) spec.Plan {
	return without(p, func(n spec.Needs) bool { return n.Classic }, spec.Skip{Code: SkipClassic, Text: text})
}
