package core

import (
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SlicesFollowDriver checks what becomes of the slices of a driver that left.
var SlicesFollowDriver = harness.Case{Meta: spec.Meta{
	ID: "core/slices-follow-driver",
	Checks: "The ResourceSlices of a driver that has left its node are removed, not before it had half a minute to come back, and those of another driver " +
		"are not; when the driver is back they are there again, and pods can use its devices.",
	Requires: []spec.RequirementID{"kep-4381/slices-removed", "kep-4381/registration"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
	WaitsFor: "The kubelet removes a driver's slices 30 s after its last connection was lost (k8s.io/kubernetes v1.37.1 pkg/kubelet/cm/dra/plugin).",
}, Run: func(t *harness.T) {
	other := t.SecondDriver(profiles.OneDevice())
	kept := other.Slices()
	before := t.Driver.Slices()
	t.Driver.Disconnect()
	t.Driver.Connect()
	t.Expect(t.Driver.Slices()).To(gomega.Equal(before), "slices of a driver that comes back at once")
	t.Driver.Disconnect()
	left := time.Now()

	t.Driver.AwaitSlices(0)
	t.Expect(time.Since(left)).To(gomega.BeNumerically(">", almostWiped), "time until the slices of a driver that has left are removed")
	t.Expect(other.Slices()).To(gomega.Equal(kept), "slices of the other driver")
	t.Driver.Connect()

	// The slices are there again, and stay although the kubelet was about to
	// remove what the driver had published: a pod gets a device.
	t.Driver.AwaitSlices(len(t.Nodes))
	t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))
	t.RunPod(objects.Pod("pod", t.Image, "claim"))
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeDevices("claim", "req", "device-0"), "the device")
}}

// almostWiped is a little less than the half minute for which slices stay.
const almostWiped = 25 * time.Second
