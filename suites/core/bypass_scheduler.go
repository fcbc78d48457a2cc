package core

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// BypassScheduler starts a pod on a node without the scheduler.
var BypassScheduler = harness.Case{Meta: spec.Meta{
	ID:       "core/bypass-scheduler",
	Checks:   "The kubelet does not start a pod that was put on its node without an allocation of its claim, and says so in an event.",
	Requires: []spec.RequirementID{"kep-4381/kubelet-checks-reservation"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.NodeName = t.Nodes[0]

	t.Create(pod)

	t.WaitEvent("pod", "FailedPrepareDynamicResources", "not allowed to use ResourceClaim claim")
	t.Get(pod)
	t.Expect(pod.Status.Phase).To(gomega.Equal(corev1.PodPending), "phase of the pod")
	t.Expect(t.Driver.Calls(spec.Prepare, "claim")).To(gomega.BeEmpty(), "NodePrepareResources calls")
}}
