package core

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TemplateClaim follows a generated claim from its creation to its end.
var TemplateClaim = harness.Case{Meta: spec.Meta{
	ID:       "core/template-claim",
	Checks:   "A claim made from a template is owned by the pod, named in the pod's status, and deleted with the pod.",
	Requires: []spec.RequirementID{"kep-4381/template-creates-claim", "kep-4381/template-claim-deleted"},
	Needs:    spec.Needs{Profile: profiles.OneDevice(), Devices: 1},
}, Run: func(t *harness.T) {
	template := objects.Template("template", objects.Claim("", t.Request("req")))
	template.Spec.Labels = map[string]string{"from": "template"}
	t.Create(template)

	pod := t.RunPod(t.PodFromTemplate("pod", "template"))

	t.Expect(pod.Status.ResourceClaimStatuses).To(gomega.HaveLen(1), "claims in the pod's status")
	t.Expect(pod.Status.ResourceClaimStatuses[0].Name).To(gomega.Equal("claim"), "the pod's name for the claim")
	t.Expect(pod.Status.ResourceClaimStatuses[0].ResourceClaimName).NotTo(gomega.BeNil(), "the generated claim's name")
	claim := t.WaitAllocated(*pod.Status.ResourceClaimStatuses[0].ResourceClaimName)
	t.Expect(metav1.IsControlledBy(claim, pod)).To(gomega.BeTrue(), "the pod is the claim's controller: %v", claim.OwnerReferences)
	t.Expect(claim.Annotations).To(gomega.HaveKeyWithValue(resourceapi.PodResourceClaimAnnotation, "claim"), "annotation")
	t.Expect(claim.Labels).To(gomega.HaveKeyWithValue("from", "template"), "the template's label")
	t.Expect(claim).To(matchers.BeReservedFor(pod), "consumers")
	t.ExpectDevices("pod", "main", claim)

	t.RemovePod("pod")
	t.WaitClaimGone(claim.Name)
}}
