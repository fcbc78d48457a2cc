package core

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OneRequestOneDevice gives a container only the request that it names.
var OneRequestOneDevice = harness.Case{Meta: spec.Meta{
	ID:       "core/one-request-one-device",
	Checks:   "A container that names one request of a claim sees that request's device and no other.",
	Requires: []spec.RequirementID{"kep-4381/only-named-requests"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices()},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("one", class), objects.Request("two", class)))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.Containers = append(pod.Spec.Containers, objects.Container("part", t.Image, objects.ShowAndStay))
	pod.Spec.Containers[1].Resources.Claims = []corev1.ResourceClaim{{Name: "claim", Request: "two"}}

	t.RunPod(pod)

	all, part := t.Environment("pod", "main"), t.Environment("pod", "part")
	t.Expect(all).To(gomega.HaveKeyWithValue("claim_claim_one", "device-0"), "request one in the container with the whole claim")
	t.Expect(all).To(gomega.HaveKeyWithValue("claim_claim_two", "device-1"), "request two in the container with the whole claim")
	t.Expect(part).To(gomega.HaveKeyWithValue("claim_claim_two", "device-1"), "the request that the container names")
	t.Expect(part).NotTo(gomega.HaveKey("claim_claim_one"), "the request that the container does not name")
}}
