package fabric

import (
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// BoundWhenAttached attaches one of two devices, which takes three seconds.
var BoundWhenAttached = harness.Case{Meta: spec.Meta{
	ID: "fabric/bound-when-attached",
	Checks: "A pod that gets a free device of the fabric is bound when one was attached to its node, not before; the device is no longer published as free, " +
		"and stays attached while the pod has it.",
	Requires: []spec.RequirementID{"kep-5007/waits-for-conditions", "kep-5007/controller-prepares", "kep-5007/free-devices-published",
		"kep-5007/attached-device-leaves-pool", "kep-5007/pool-per-model", "kep-5007/binds-to-node"},
	Needs: needs(2),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	c := t.Composed(binding(2)).MayTell()
	c.WaitFree(2)
	c.Say(spec.AttachRule{Takes: 3 * time.Second})
	pod(t, class)

	node := t.WaitScheduled("pod").Spec.NodeName
	devices, err := c.Devices(t.Context())
	t.NoError(err, "look at the fabric")
	t.Expect(count(devices, attached, node)).To(gomega.Equal(1), "devices attached to the pod's node when it is bound")
	c.WaitFree(1)
	t.Expect(t.Claim("pod").Status.Devices).To(gomega.HaveLen(1), "devices with a status")
	c.WaitDevices("one attached, one free", func(d map[string]spec.FabricDevice) bool {
		return count(d, attached, node) == 1 && count(d, free, "") == 1
	})
}}
