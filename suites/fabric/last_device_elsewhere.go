package fabric

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// LastDeviceElsewhere has another cluster reach for the only device at the same time.
var LastDeviceElsewhere = harness.Case{Meta: spec.Meta{
	ID: "fabric/last-device-elsewhere",
	Checks: "When two clusters want the last device of the fabric, exactly one gets it: the pod is bound, or it is told that no device was left and waits, " +
		"and the device is not published any more.",
	Requires: []spec.RequirementID{"kep-5007/failure-in-status", "kep-5007/failure-not-bound", "kep-5007/free-devices-published"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	c := t.Composed(binding(1)).MayTell()
	c.WaitFree(1)
	pod(t, class)
	t.WaitAllocated("pod")
	won, err := c.Take(t.Context())
	t.NoError(err, "attach the device to another cluster")
	c.WaitDevices("attached", one(attached, ""))
	if won {
		t.WaitUnschedulable("pod", "")
		c.WaitFree(0)
		t.WaitDeallocated("pod")
		return
	}
	node := t.WaitScheduled("pod").Spec.NodeName
	t.Poll("the device to be attached to the pod's node", func(ctx context.Context) (bool, string, error) {
		devices, err := c.Devices(ctx)
		return err == nil && count(devices, attached, node) == 1, "it is not", err
	})
	t.Expect(t.Claim("pod").Status.Allocation).NotTo(gomega.BeNil(), "allocation of the pod's claim")
}}
