package classicdra

import (
	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OnNodes starts the driver's part on the case's nodes, which publishes nothing and prepares
// what its controller has allocated; it returns once the kubelets have registered it.
func (p *Program) OnNodes() *harness.Driver {
	ginkgo.GinkgoHelper()
	return p.c.t.RunDriver(p.Name(), spec.Profile{}, nil)
}
