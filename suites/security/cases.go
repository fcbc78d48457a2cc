package security

import "github.com/dra-conformance/dratest/framework/harness"

// Cases returns the cases of this area in the order in which they are listed and planned.
func Cases() []harness.Case {
	return []harness.Case{
		AdminAccess,
		TemplateUser,
		ControllerUser,
		DriverRole,
	}
}
