package node

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RollingUpdate replaces a driver below a pod.
var RollingUpdate = harness.Case{Meta: spec.Meta{
	ID: "node/rolling-update",
	Checks: "When a driver's new instance is registered before the old one goes, a pod keeps its device, the new instance unprepares what the old one " +
		"has prepared and prepares for new pods, and no slice is removed.",
	Requires: []spec.RequirementID{"kubeletplugin/instances-share-state", "kubeletplugin/clean-shutdown"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device", "driver-prepare-nothing-done", "driver-unprepare-nothing-done"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	for _, name := range []string{"old", "stays", "new"} {
		t.Create(objects.Claim(name, objects.Request("req", class)))
	}
	t.Create(objects.Pod("old", t.Image, "old"), objects.Pod("stays", t.Image, "stays"))
	t.WaitRunning("old")
	container := t.WaitRunning("stays").Status.ContainerStatuses[0].ContainerID
	slices := t.Driver.Slices()

	t.Driver.Upgrade()
	t.RemovePod("old")
	t.RunPod(objects.Pod("new", t.Image, "new"))

	device := t.Claim("new").Status.Allocation.Devices.Results[0].Device
	t.Expect(t.Environment("new", "main")).To(matchers.SeeOnlyDevices(device), "device of the new pod")
	t.Expect(t.WaitRunning("stays").Status.ContainerStatuses[0].ContainerID).To(gomega.Equal(container), "the container from before")
	t.Expect(t.Driver.Calls(spec.Prepare, "stays")).To(gomega.HaveLen(1), "NodePrepareResources calls for the claim of the pod that stays")
	t.Expect(t.Driver.Slices()).To(gomega.Equal(slices), "slices of the driver")
	t.RemovePod("stays")
	t.RemovePod("new")
	t.Driver.AwaitUnprepared()

	// The sockets of the last instance are gone with it, so that the kubelet forgets it.
	t.Driver.Disconnect()
	t.Create(objects.Pod("late", t.Image, "new"))
	t.WaitEvent("late", notPrepared, t.Driver.Name+" is not registered")
}}
