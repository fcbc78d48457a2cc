package certify

import (
	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/run"
)

// Suite runs the cases of a certification as a Ginkgo suite of a Go test (see run.Suite):
// driver and devices are looked at before, and tried, as Run does. There is a report and no
// certificate: what is left behind is not looked for.
func Suite(t ginkgo.GinkgoTestingT, parts run.Parts, o Options) {
	_, parts = certification(parts, o)
	run.Suite(t, parts, o.Run)
}
