package harness

import (
	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Upgrade replaces the instances by such that offer these versions of the plugin API
// (all if there are none), as a rolling update does: the new ones are registered
// before the old ones go.
func (d *Driver) Upgrade(grpc ...spec.GRPCVersion) {
	ginkgo.GinkgoHelper()
	d.t.Step("replace the driver by one that offers %v, in rolling fashion", grpc)
	d.change(spec.DriverChange{GRPC: &grpc, Upgrade: true})
	d.each("wait for registration", d.awaitRegistered)
}

// ConnectAs is Connect with instances that offer these versions of the plugin API.
func (d *Driver) ConnectAs(grpc ...spec.GRPCVersion) {
	ginkgo.GinkgoHelper()
	d.change(spec.DriverChange{GRPC: &grpc})
	d.Connect()
}
