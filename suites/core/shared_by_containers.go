package core

import (
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SharedByContainers gives one claim to two containers of a pod.
var SharedByContainers = harness.Case{Meta: spec.Meta{
	ID:       "core/shared-by-containers",
	Checks:   "Two containers of a pod that name the same claim see the same device.",
	Requires: []spec.RequirementID{"kep-4381/share-between-containers"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.Containers = append(pod.Spec.Containers, objects.Container("second", t.Image, objects.ShowAndStay, "claim"))

	t.RunPod(pod)

	device := t.WaitAllocated("claim").Status.Allocation.Devices.Results[0].Device
	for _, container := range []string{"main", "second"} {
		t.Expect(t.Environment("pod", container)).To(matchers.SeeDevices("claim", "req", device), "device of container %s", container)
	}
}}
