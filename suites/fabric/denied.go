package fabric

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// WrongToken takes the right token away before a pod comes.
var WrongToken = harness.Case{Meta: spec.Meta{
	ID:       "fabric/wrong-token",
	Checks:   "While the fabric does not know the controller's token nothing is attached and an event says why; with the right one the pod is bound without a restart.",
	Requires: []spec.RequirementID{"kep-5007/controller-prepares", "kep-5007/waits-for-conditions"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	c := t.Composed(binding(1)).MayTell()
	c.WaitFree(1)
	c.Token(false)
	pod(t, class)
	t.WaitEvent("pod", "FabricUnavailable", "check the token")
	devices, err := c.Devices(t.Context())
	t.NoError(err, "look at the fabric")
	t.Expect(count(devices, free, "")).To(gomega.Equal(1), "devices that are free")
	c.Token(true)
	t.WaitScheduled("pod")
}}

// NoPermission keeps from the controller the right to say of devices that they are
// attached.
var NoPermission = harness.Case{Meta: spec.Meta{
	ID: "fabric/no-permission",
	Checks: "A controller that may update the status of claims, but not for its driver's devices on any node, cannot tell that a device is attached, and an event says so; " +
		"once it may, the pod is bound with that device.",
	Requires: []spec.RequirementID{"kep-5007/waits-for-conditions"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	c := t.Composed(binding(2))
	c.WaitFree(2)
	pod(t, class)
	t.WaitEvent("pod", "StatusForbidden", "arbitrary-node:update")
	c.MayTell()
	t.WaitScheduled("pod")
	c.WaitDevices("attached", func(d map[string]spec.FabricDevice) bool { return count(d, attached, t.Nodes[0]) > 0 })
}}
