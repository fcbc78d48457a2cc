package core

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Count asks for more than one device in a request.
var Count = harness.Case{Meta: spec.Meta{
	ID:       "core/count",
	Checks:   "A request for two devices gets two different ones of one node, and the container sees both.",
	Requires: []spec.RequirementID{"kep-4381/exact-count"},
	Needs:    spec.Needs{Profile: profiles.FourDevices(), Nodes: 2},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	request := objects.Request("req", class)
	request.Exactly.Count = 2
	t.Create(objects.Claim("claim", request))

	pod := t.RunPod(objects.Pod("pod", t.Image, "claim"))

	claim := t.WaitAllocated("claim")
	results := claim.Status.Allocation.Devices.Results
	t.Expect(results).To(gomega.HaveLen(2), "allocated devices")
	t.Expect(results[0].Device).NotTo(gomega.Equal(results[1].Device), "the two devices")
	t.Expect(claim).To(matchers.HaveDevicesFrom(pod.Spec.NodeName), "one node's")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeDevices("claim", "req", results[0].Device, results[1].Device), "devices of the container")
}}
