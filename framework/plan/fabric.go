package plan

import "github.com/dra-conformance/dratest/framework/spec"

// SkipFabric is the code of cases with a fabric of devices where a run cannot start one.
const SkipFabric spec.SkipCode = "FabricNotAvailable"

// WithoutFabrics is a plan in which the cases that need a fabric of devices do not run; text
// says why, and what to do about it. Those that did not run anyway keep their reason.
func WithoutFabrics(p spec.Plan, text string) spec.Plan {
	return without(p, func(n spec.Needs) bool { return n.Composable }, spec.Skip{Code: SkipFabric, Text: text})
}
