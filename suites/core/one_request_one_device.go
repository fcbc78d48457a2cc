package core

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OneRequestOneDevice gives a container only the request that it names.
var OneRequestOneDevice = harness.Case{Meta: spec.Meta{
	ID:       "core/one-request-one-device",
	Checks:   "A container that names one request of a claim sees that request's device and no other.",
	Requires: []spec.RequirementID{"kep-4381/only-named-requests"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device", "driver-prepare-swapped", "driver-prepare-all-requests"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("one", class), objects.Request("two", class)))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.Containers = append(pod.Spec.Containers, objects.Container("part", t.Image, objects.ShowAndStay))
	pod.Spec.Containers[1].Resources.Claims = []corev1.ResourceClaim{{Name: "claim", Request: "two"}}

	t.RunPod(pod)

	device := map[string]string{}
	for _, r := range t.WaitAllocated("claim").Status.Allocation.Devices.Results {
		device[r.Request] = r.Device
	}
	all, part := t.Environment("pod", "main"), t.Environment("pod", "part")
	t.Expect(all).To(matchers.SeeDevices("claim", "one", device["one"]), "request one in the container with the whole claim")
	t.Expect(all).To(matchers.SeeDevices("claim", "two", device["two"]), "request two in the container with the whole claim")
	t.Expect(part).To(matchers.SeeDevices("claim", "two", device["two"]), "the request that the container names")
	t.Expect(part).NotTo(matchers.SeeRequest("claim", "one"), "the request that the container does not name")
}}
