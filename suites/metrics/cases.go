package metrics

import "github.com/dra-conformance/dratest/framework/harness"

// Cases returns this area's cases in listing and planning order.
func Cases() []harness.Case {
	return []harness.Case{
		Claims,
		Creations,
		Unschedulable,
		AdminAccess,
		BindingConditions,
	}
}
