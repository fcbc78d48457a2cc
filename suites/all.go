package suites

import (
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// All lists the cases.
func All() []harness.Case {
	m := func(id string) spec.Meta {
		return spec.Meta{ID: id, Checks: "It is there.", Requires: []spec.RequirementID{"kep-4381/x"}}
	}
	return []harness.Case{{Meta: m("trivial/one"), Run: func(*harness.T) {}}, {Meta: m("trivial/two"), Run: func(*harness.T) {}}}
}
