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
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NodePodStatus writes the status of a pod as the kubelet of its node.
var NodePodStatus = harness.Case{Meta: spec.Meta{
	ID:       "api/node-pod-status",
	Checks:   "A kubelet may write the status of its pods, but not the names of their generated and special claims.",
	Requires: []spec.RequirementID{"kep-4381/kubelet-names-no-claims"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	node := t.Namespace + "-node" // There is none of this name, so nothing happens to the pod.
	t.Create(podAccount())
	pod := unscheduled(objects.PodFromTemplate("pod", t.Image, "no-template"))
	pod.Spec.NodeName = node
	second := corev1.PodResourceClaim{Name: "second", ResourceClaimTemplateName: ptr.To("no-template")}
	pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, second)
	main := &pod.Spec.Containers[0]
	*main = objects.Wants(*main, map[string]int64{"example.com/gpu": 1})
	t.Create(pod)
	named := func(pairs ...string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.ResourceClaimStatuses = nil
			for i := 0; i < len(pairs); i += 2 {
				p.Status.ResourceClaimStatuses = append(p.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: pairs[i], ResourceClaimName: &pairs[i+1]})
			}
		}
	}
	stored := edit.PodStatus(t, "pod", named("claim", "made"))
	special := func(p *corev1.Pod) {
		p.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "other", RequestMappings: []corev1.ContainerExtendedResourceRequest{
			{ContainerName: main.Name, ResourceName: "example.com/gpu", RequestName: "container-0-request-0"},
		}}
	}
	changes := map[string]func(*corev1.Pod){
		"another claim": named("claim", "other"), "one more claim": named("claim", "made", "second", "other"), "the claim of another entry": named("second", "made"),
	}
	if t.Target().Gates[spec.ExtendedResource] {
		changes["a special claim"] = special
	}

	t.Step("write the pod's status as the node, and claims in it")
	anyone, kubelet := updateStatus(t, t.Client.CoreV1().Pods(t.Namespace)), updateStatus(t, asNode(t, node).CoreV1().Pods(t.Namespace))
	with := func(change func(*corev1.Pod)) *corev1.Pod {
		p := stored.DeepCopy()
		change(p)
		return p
	}
	t.NoError(kubelet(with(func(p *corev1.Pod) { p.Status.Message = "from the node" })), "write a message as the node")
	for what, change := range changes {
		t.NoError(anyone(with(change)), "write %s as an administrator", what)
		err := kubelet(with(change))
		t.Expect(apierrors.IsForbidden(err)).To(gomega.BeTrue(), "%s, written as the node, to be forbidden: %v", what, err)
	}
	// No kubelet ends the pod.
	t.Delete(pod, harness.GracePeriod(0))
}}

// MirrorPodClaims creates mirror pods, like kubelets do for static ones.
var MirrorPodClaims = harness.Case{Meta: spec.Meta{
	ID:       "api/mirror-pod-claims",
	Checks:   "A kubelet may create a mirror pod, but none with a claim or a claim template.",
	Requires: []spec.RequirementID{"kep-4381/kubelet-names-no-claims"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	name := t.Nodes[0]
	node, err := t.Client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	t.NoError(err, "get the node")
	mirror := func(pod *corev1.Pod) *corev1.Pod {
		pod.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "hash"}
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: name, UID: node.UID, Controller: ptr.To(true)}}
		pod.Spec.NodeName = name
		return pod
	}
	write := create(t, asNode(t, name).CoreV1().Pods(t.Namespace)) // none is stored
	t.NoError(write(mirror(objects.Pod("pod", t.Image))), "create a mirror pod without claims as the node")
	for what, pod := range map[string]*corev1.Pod{"a claim": objects.Pod("pod", t.Image, "claim"), "a template": objects.PodFromTemplate("pod", t.Image, "template")} {
		err := write(mirror(pod))
		// Mirror pods with claims are invalid anyway.
		t.Expect(apierrors.IsForbidden(err) || apierrors.IsInvalid(err)).To(gomega.BeTrue(), "a mirror pod with %s, created as the node, to be refused: %v", what, err)
	}
}}
