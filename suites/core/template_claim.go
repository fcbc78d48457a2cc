/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package core

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
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
	ID:     "core/template-claim",
	Checks: "A claim from a template has its spec, labels and annotations, is owned by the pod and deleted with it.",
	Requires: []spec.RequirementID{
		"kep-4381/template-creates-claim", "kep-4381/template-claim-deleted", "kep-4381/template-spec-copied", "kep-4381/template-labels-copied",
		"resource-v1/generated-claim-annotated",
	},
	Needs: spec.Needs{Profile: profiles.OneDevice(), Devices: 1},
}, Run: func(t *harness.T) {
	template := objects.Template("template", objects.Claim("", t.Driver.Request("req")))
	template.Spec.Labels = map[string]string{"from": "template"}
	template.Spec.Annotations = map[string]string{"example.com/from": "template"}
	t.Create(template)

	pod := t.RunPod(podFromTemplate(t, "pod", "template"))

	t.Expect(pod.Status.ResourceClaimStatuses).To(gomega.HaveLen(1), "claims in the pod's status")
	t.Expect(pod.Status.ResourceClaimStatuses[0].Name).To(gomega.Equal("claim"), "the pod's name for the claim")
	t.Expect(pod.Status.ResourceClaimStatuses[0].ResourceClaimName).NotTo(gomega.BeNil(), "the generated claim's name")
	claim := t.WaitAllocated(*pod.Status.ResourceClaimStatuses[0].ResourceClaimName)
	t.Expect(metav1.IsControlledBy(claim, pod)).To(gomega.BeTrue(), "the pod is the claim's controller: %v", claim.OwnerReferences)
	t.Expect(claim.Annotations).To(gomega.HaveKeyWithValue(resourceapi.PodResourceClaimAnnotation, "claim"), "annotation")
	t.Expect(claim.Annotations).To(gomega.HaveKeyWithValue("example.com/from", "template"), "the template's annotation")
	stored, err := t.Client.ResourceV1().ResourceClaimTemplates(t.Namespace).Get(t.Context(), "template", metav1.GetOptions{})
	t.NoError(err, "get the template")
	t.Expect(claim.Spec).To(gomega.Equal(stored.Spec.Spec), "specification of the claim")
	t.Expect(claim.Labels).To(gomega.HaveKeyWithValue("from", "template"), "the template's label")
	t.Expect(claim).To(matchers.BeReservedFor(pod), "consumers")
	t.Driver.ExpectDevices("pod", "main", claim)

	t.RemovePod("pod")
	t.WaitClaimGone(claim.Name)
}}

// podFromTemplate returns a pod with claim "claim" from a template.
func podFromTemplate(t *harness.T, name, template string) *corev1.Pod {
	pod := objects.PodFromTemplate(name, t.Image, template)
	pod.Spec.Containers = []corev1.Container{t.Container("main", "claim")}
	return pod
}
