package node

import (
	"time"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// lastCall is when a driver was called last for a claim.
func lastCall(d *harness.Driver, method spec.Method, claim string) time.Time {
	last := time.Time{}
	for _, c := range d.Calls(method, claim) {
		last = c.Start
	}
	return last
}

// notBefore matches times of the API, which have no fractions of a second, that are not
// before another one.
func notBefore(at time.Time) types.GomegaMatcher {
	return gomega.BeTemporally(">=", at.Truncate(time.Second))
}
