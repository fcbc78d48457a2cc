package claims

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NoClaimNeeded has a pod's status say that the pod needs no claim from a template.
var NoClaimNeeded = harness.Case{Meta: spec.Meta{
	ID:       "claims/no-claim-needed",
	Checks:   "A template entry without a claim name in the pod's status means no claim: the pod is scheduled and none is created.",
	Requires: []spec.RequirementID{"kep-4381/status-without-name-ignored"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	t.Create(objects.PodFromTemplate("pod", t.Image, "template"))
	t.WaitEvent("pod", "FailedResourceClaimCreation", `"template" not found`)
	t.ChangePodStatus("pod", func(p *corev1.Pod) {
		p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "claim"}}
	})
	t.WaitScheduled("pod")

	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
	touch(t, "pod") // so that each controller looks at the pod again, before it comes to the next one
	heldFromTemplate(t, "other", "template")
	made := generated(t, "other")
	t.Expect(t.Claims()).To(gomega.ConsistOf(gomega.HaveField("Name", made.Name)), "claims that were made from the template")
	pod := t.WaitScheduled("pod")
	t.Expect(pod.Status.ResourceClaimStatuses).To(gomega.Equal([]corev1.PodResourceClaimStatus{{Name: "claim"}}), "claims in the pod's status")
}}
