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
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PodClaims writes pods with invalid claims, and changes one.
var PodClaims = harness.Case{Meta: spec.Meta{
	ID:     "api/pod-claims",
	Checks: "A pod's claims are unique, valid, immutable and the only ones its containers name; others are rejected.",
	Requires: []spec.RequirementID{
		"kep-4381/pod-claims-immutable", "kep-4381/container-claim-exists", "kep-4381/pod-claim-name-label", "kep-4381/claim-or-template",
		"kep-3063/claim-or-template", "kep-3063/pod-lists-resources",
	},
	Needs: spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	t.Create(podAccount())
	pods := t.Client.CoreV1().Pods(t.Namespace)
	valid := func() *corev1.Pod { return unscheduled(objects.Pod("pod", t.Image, "claim")) }
	judge(t, valid, create(t, pods), podClaimRules()...)

	t.Create(valid())
	stored, err := pods.Get(t.Context(), "pod", metav1.GetOptions{})
	t.NoError(err, "get the pod")
	label := func(p *corev1.Pod) { p.Labels["changed"] = "true" }
	judge(t, stored.DeepCopy, update(t, pods), []rule[*corev1.Pod]{
		{"another claim", label, podClaim(func(c *corev1.PodResourceClaim) { c.ResourceClaimName = ptr.To("other") }), "spec", forbidden},
		{"no claims", label, func(p *corev1.Pod) { p.Spec.ResourceClaims, p.Spec.Containers[0].Resources.Claims = nil, nil }, "spec", forbidden},
		{"one more claim", label, func(p *corev1.Pod) {
			p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: "other", ResourceClaimName: ptr.To("other")})
		}, "spec", forbidden},
		{"a container without its claim", label, func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Claims = nil }, "spec", forbidden},
	}...)
}}

// podAccount returns a service account of the case: the namespace's default one may not exist yet.
func podAccount() *corev1.ServiceAccount {
	return &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "pods"}}
}

// unscheduled gives a pod no scheduler, and the service account of the case.
func unscheduled(pod *corev1.Pod) *corev1.Pod {
	pod.Spec.SchedulerName, pod.Spec.ServiceAccountName = "dra-conformance.github.io/none", "pods"
	pod.Spec.AutomountServiceAccountToken = ptr.To(false)
	return pod
}

// podClaim changes the pod's first claim.
func podClaim(change func(*corev1.PodResourceClaim)) func(*corev1.Pod) {
	return func(p *corev1.Pod) { change(&p.Spec.ResourceClaims[0]) }
}

func podClaimRules() []rule[*corev1.Pod] {
	of := func(claim, template *string) func(*corev1.Pod) {
		return podClaim(func(c *corev1.PodResourceClaim) { c.ResourceClaimName, c.ResourceClaimTemplateName = claim, template })
	}
	named := func(name string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.ResourceClaims[0].Name, p.Spec.Containers[0].Resources.Claims[0].Name = name, name
		}
	}
	and := func(name string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: name, ResourceClaimName: ptr.To("another")})
		}
	}
	uses := func(claims ...corev1.ResourceClaim) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Claims = claims }
	}
	initUses := func(claim string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.InitContainers = []corev1.Container{objects.Container("init", p.Spec.Containers[0].Image, "true", claim)}
		}
	}
	claim, template := ptr.To("claim"), ptr.To("template")
	const field, container = "spec.resourceClaims[0]", "spec.containers[0].resources.claims"
	return []rule[*corev1.Pod]{
		{"a claim and a template", of(claim, nil), of(claim, template), field, invalid},
		{"neither a claim nor a template", of(nil, template), of(nil, nil), field, ""},
		{"a claim with a bad name", of(ptr.To("a.claim"), nil), of(ptr.To("a claim"), nil), field + ".resourceClaimName", invalid},
		{"a template with a bad name", of(nil, ptr.To("a.template")), of(nil, ptr.To("a template")), field + ".resourceClaimTemplateName", invalid},
		{"no name", named("c"), named(""), field + ".name", required},
		{"a name with a dot", named("my-claim"), named("my.claim"), field + ".name", invalid},
		{"a name with a capital", named("my-claim"), named("My-claim"), field + ".name", invalid},
		{"a name of 64 characters", named(characters(63)), named(characters(64)), field + ".name", invalid},
		{"two claims of one name", and("other"), and("claim"), "spec.resourceClaims[1].name", duplicate},
		{"a container with a claim not listed by the pod", uses(corev1.ResourceClaim{Name: "claim"}), uses(corev1.ResourceClaim{Name: "other"}),
			container + "[0]", metav1.CauseTypeFieldValueNotFound},
		{"an init container with a claim that the pod does not list", initUses("claim"), initUses("other"),
			"spec.initContainers[0].resources.claims[0]", metav1.CauseTypeFieldValueNotFound},
		{"a container with a claim twice", uses(corev1.ResourceClaim{Name: "claim", Request: "a"}, corev1.ResourceClaim{Name: "claim", Request: "b"}),
			uses(corev1.ResourceClaim{Name: "claim"}, corev1.ResourceClaim{Name: "claim"}), container + "[1]", duplicate},
		{"a container with no name of a claim", uses(corev1.ResourceClaim{Name: "claim"}), uses(corev1.ResourceClaim{}), container + "[0]", required},
	}
}
