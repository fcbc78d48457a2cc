package node

import (
	"time"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// lastCall returns the time of a driver's last call for a claim.
func lastCall(d *harness.Driver, method spec.Method, claim string) time.Time {
	last := time.Time{}
	for _, c := range d.Calls(method, claim) {
		last = c.Start
	}
	return last
}

// notBefore matches API times, rounded to seconds, not before another time.
func notBefore(at time.Time) types.GomegaMatcher {
	return gomega.BeTemporally(">=", at.Truncate(time.Second))
}
