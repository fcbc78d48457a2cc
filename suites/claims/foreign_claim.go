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

package claims

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ForeignClaim names another owner's claim in a pod's status.
var ForeignClaim = harness.Case{Meta: spec.Meta{
	ID:       "claims/foreign-claim",
	Checks:   "A claim in a pod's status that the pod does not own is neither allocated nor reserved for the pod.",
	Requires: []spec.RequirementID{"kep-4381/foreign-claim-not-used", "kep-3063/foreign-claim-blocks", "kep-3063/claim-can-be-adopted"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 3)
	t.Create(objects.Claim("foreign", objects.Request("req", class)), objects.PodFromTemplate("pod", t.Image, "missing"))
	names := func(claim string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "claim", ResourceClaimName: &claim}}
		}
	}
	pod := edit.PodStatus(t, "pod", names("foreign"))
	waits(t, "pod", class)
	t.Expect(t.Claim("foreign").Status).To(gomega.Equal(resourceapi.ResourceClaimStatus{}), "status of the foreign claim")

	own := objects.Claim("own", objects.Request("req", class))
	own.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(pod, corev1.SchemeGroupVersion.WithKind("Pod"))}
	t.Create(own)
	edit.PodStatus(t, "pod", names("own"))
	t.WaitScheduled("pod")
	t.Expect(t.Claim("own")).To(matchers.BeReservedFor(pod), "reservations of the pod's claim")
	t.Expect(t.Claim("foreign").Status).To(gomega.Equal(resourceapi.ResourceClaimStatus{}), "status of the foreign claim")
}}
