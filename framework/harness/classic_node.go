package harness

import (
	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/spec"
)

// OnNodes starts the driver's part on the case's nodes, which publishes nothing and prepares
// what its controller has allocated; it returns once the kubelets have registered it.
func (p *ClassicProgram) OnNodes() *Driver {
	ginkgo.GinkgoHelper()
	d := p.c.t.addDriver(p.Name(), spec.Profile{})
	p.c.t.Step("start driver %s on nodes", d.Name)
	p.c.t.NoError(d.start(), "start driver %s on nodes", d.Name)
	return d
}
