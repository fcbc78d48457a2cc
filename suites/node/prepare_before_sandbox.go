package node

import (
	"slices"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PrepareBeforeSandbox looks at a pod's sandbox while its claim cannot be prepared.
var PrepareBeforeSandbox = harness.Case{Meta: spec.Meta{
	ID: "node/prepare-before-sandbox",
	Checks: "A pod whose claim a driver twice could not prepare has no IP address and is not ready to start containers, and becomes so no sooner than its claim is prepared: " +
		"before that it has no sandbox.",
	Requires: []spec.RequirementID{"kep-4381/prepare-before-sandbox", "kep-4381/prepare-before-start"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	WaitsFor: waitsForResync,
	Timeout:  resyncTimeout,
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))
	t.Driver.Fail(spec.Fault{Method: spec.Prepare, Kind: spec.FaultClaimError})

	t.Create(objects.Pod("pod", t.Image, "claim"))

	// A sandbox from before the first call would be seen by the second one.
	t.Driver.AwaitCalls(spec.Prepare, "claim", "two that fail", func(calls []spec.Call) bool { return len(calls) >= 2 })
	pod := t.WaitPod("pod", "one of which it is told whether it is ready to start containers", func(p *corev1.Pod) (bool, error) {
		return readyToStart(p).Status != "", nil
	})
	t.Expect(pod.Status.PodIPs).To(gomega.BeEmpty(), "addresses of a pod whose claim is not prepared")

	t.Driver.Fail()
	ran := t.WaitRunning("pod")
	t.Expect(readyToStart(ran).Status).To(gomega.Equal(corev1.ConditionTrue), "whether the pod that runs was ready to start containers")
	t.Expect(readyToStart(ran).LastTransitionTime.Time).To(notBefore(lastCall(t.Driver, spec.Prepare, "claim")), "when the pod was ready to start containers")
}}

// readyToStart is the condition that tells whether a pod has its sandbox and its network.
func readyToStart(pod *corev1.Pod) corev1.PodCondition {
	i := slices.IndexFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodReadyToStartContainers })
	if i < 0 {
		return corev1.PodCondition{}
	}
	return pod.Status.Conditions[i]
}
