package harness

import "github.com/dra-conformance/dratest/framework/spec"

// Case is one test case: data first, then what it does.
type Case struct {
	spec.Meta

	// Run sets up, acts, waits and asserts. It runs with everything that Needs
	// asks for already in place; failures are Gomega assertions or t.Fatalf.
	Run func(t *T)
}
