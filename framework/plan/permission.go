package plan

import (
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
)

// SkipPermission is the code of cases of an API that the run's account may not use.
const SkipPermission spec.SkipCode = "NotPermitted"

// WithoutPermission is a plan in which the cases that need a feature do not run; text says
// what the account may not do. Those that did not run anyway keep their reason.
func WithoutPermission(p spec.Plan, f spec.Feature, text string) spec.Plan {
	return without(p, func(n spec.Needs) bool { return slices.Contains(n.Features, f) }, spec.Skip{Code: SkipPermission, Text: text})
}
