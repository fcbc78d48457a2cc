package node

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

const restartsKubelet = "It restarts a kubelet, which breaks every connection to what runs on the node."

// InUseAfterRestart restarts the kubelet below a pod.
var InUseAfterRestart = harness.Case{Meta: spec.Meta{
	ID:            "node/in-use-after-restart",
	Checks:        "The metric dra_resource_claims_in_use counts the claim of a running pod, also when the kubelet has been restarted since.",
	Requires:      []spec.RequirementID{"kep-4381/claims-in-use"},
	Needs:         spec.Needs{Profile: profiles.OneDevice(), Disruption: true},
	SerialBecause: restartsKubelet,
	KnownIssue: &spec.KnownIssue{
		Issue: "pkg/kubelet/cm/dra/claiminfo.go", Component: spec.Kubelet, Through: "1.37",
		Does: "A restarted kubelet counts only the claims that it has prepared itself.",
	},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	t.RunPod(objects.Pod("pod", t.Image, "claim"))
	inUse := func() float64 {
		value, _ := t.KubeletMetric(t.Nodes[0], "dra_resource_claims_in_use", map[string]string{"driver_name": t.Driver.Name})
		return value
	}
	t.Expect(inUse()).To(gomega.BeEquivalentTo(1), "claims in use before")

	t.RestartKubelet(t.Nodes[0])

	after := inUse()
	pod := t.WaitRunning("pod")
	t.Expect(pod.Status.ContainerStatuses[0].RestartCount).To(gomega.BeZero(), "restarts of the container")
	if after == 0 {
		t.KnownIssue("after a restart the metric is 0 for a driver with a running pod")
		return
	}
	t.Expect(after).To(gomega.BeEquivalentTo(1), "claims in use after the restart")
}}
