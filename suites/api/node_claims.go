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

package api

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NodeClaimsByStatus reads claims generated for a pod as the kubelet of its node. Neither earlier claims nor one with
// the template's name may be readable.
var NodeClaimsByStatus = harness.Case{Meta: spec.Meta{
	ID:       "api/node-claims-by-status",
	Checks:   "A kubelet may read only the claim its pod's status currently names for a template.",
	Requires: []spec.RequirementID{"kep-4381/kubelet-reads-claims-only"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	pod := objects.PodFromTemplate("pod", t.Image, "template") // missing
	readsNewest(t, pod, func(p *corev1.Pod, claim string) {
		p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "claim", ResourceClaimName: &claim}}
	})
}}

// NodeSpecialClaims does so with claims for extended resources. Releases before 1.37 read those of a pod only when it
// is bound.
var NodeSpecialClaims = harness.Case{Meta: spec.Meta{
	ID:       "api/node-special-claims",
	Checks:   "A kubelet may read the special claim its pod's status names, but not one named before.",
	Requires: []spec.RequirementID{"kep-4381/kubelet-reads-claims-only"},
	Needs:    spec.Needs{NoNode: true, Since: "1.37", Features: []spec.Feature{spec.ExtendedResource}},
}, Run: func(t *harness.T) {
	pod := objects.PodWanting("pod", t.Image, map[string]int64{"example.com/gpu": 1})
	mapping := corev1.ContainerExtendedResourceRequest{ContainerName: pod.Spec.Containers[0].Name, ResourceName: "example.com/gpu", RequestName: "container-0-request-0"}
	readsNewest(t, pod, func(p *corev1.Pod, claim string) {
		p.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{
			ResourceClaimName: claim, RequestMappings: []corev1.ContainerExtendedResourceRequest{mapping},
		}
	})
}}

// readsNewest names one claim after the other in the pod's status, and fails the case unless the kubelet of its node
// can read only the current one.
func readsNewest(t *harness.T, pod *corev1.Pod, name func(p *corev1.Pod, claim string)) {
	node := t.Namespace + "-node" // There is none of this name, so nothing happens to the pod.
	all := []string{"template", "first", "second"}
	for _, claim := range all {
		t.Create(objects.Claim(claim, objects.Request("req", "class")))
	}
	t.Create(podAccount())
	pod = unscheduled(pod)
	pod.Spec.NodeName = node
	t.Create(pod)
	read := func(claim string) error {
		_, err := asNode(t, node).ResourceV1().ResourceClaims(t.Namespace).Get(t.Context(), claim, metav1.GetOptions{})
		return err
	}
	for _, named := range all[1:] {
		edit.PodStatus(t, "pod", func(p *corev1.Pod) { name(p, named) })
		allowed(t, "claim "+named+", to be read as the node", func() error { return read(named) })
		for _, claim := range all {
			if err := read(claim); claim != named {
				t.Expect(apierrors.IsForbidden(err)).To(gomega.BeTrue(), "claim %s, read as the node while the pod has %s, to be forbidden: %v", claim, named, err)
			}
		}
	}
	// No kubelet ends the pod.
	t.Delete(pod, harness.GracePeriod(0))
}
