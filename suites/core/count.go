package core

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Count asks for more than one device in a request.
var Count = harness.Case{Meta: spec.Meta{
	ID:       "core/count",
	Checks:   "A request for two devices gets two different ones of one node, and the container sees both.",
	Requires: []spec.RequirementID{"kep-4381/exact-count"},
	Needs:    spec.Needs{Profile: profiles.FourDevices(), Nodes: 2, Devices: 2},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	request := t.Request("req")
	request.Exactly.Count = 2
	t.Create(objects.Claim("claim", request))

	pod := t.RunPod(t.Pod("pod", "claim"))

	claim := t.WaitAllocated("claim")
	results := claim.Status.Allocation.Devices.Results
	t.Expect(results).To(gomega.HaveLen(2), "allocated devices")
	t.Expect(results[0].Device).NotTo(gomega.Equal(results[1].Device), "the two devices")
	t.ExpectOnNode(claim, pod.Spec.NodeName)
	t.ExpectDevices("pod", "main", claim)
}}
