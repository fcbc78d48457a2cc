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

package claimplan

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// Done reports whether none of a pod's containers runs or will run: the pod does not need its
// claims.
func Done(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed ||
		pod.DeletionTimestamp != nil && pod.Spec.NodeName == ""
}

// UsesClaims reports whether a pod has claims. Most have none.
func UsesClaims(pod *corev1.Pod) bool {
	return len(pod.Spec.ResourceClaims) > 0 || pod.Status.ExtendedResourceClaimStatus != nil
}

// ClaimNames returns the sorted known names of a pod's claims: named in its spec, generated, and
// for its extended resources. Sync them when the pod is done or deleted.
func ClaimNames(pod *corev1.Pod) []string {
	var names []string
	for i := range pod.Spec.ResourceClaims {
		// The claim does not exist yet or cannot be handled.
		if name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i]); err == nil && name != nil {
			names = append(names, *name)
		}
	}
	if extended := pod.Status.ExtendedResourceClaimStatus; extended != nil {
		names = append(names, extended.ResourceClaimName)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TemplateNames returns the sorted names of a pod's templates.
func TemplateNames(pod *corev1.Pod) []string {
	var names []string
	for _, podClaim := range pod.Spec.ResourceClaims {
		if podClaim.ResourceClaimTemplateName != nil {
			names = append(names, *podClaim.ResourceClaimTemplateName)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// OwningPod returns the pod a claim was generated for, by this controller from a template or by the
// scheduler for extended resources. It is false if there is none.
func OwningPod(claim *resourceapi.ResourceClaim) (Ref, bool) {
	for _, owner := range claim.OwnerReferences {
		if owner.Controller != nil && *owner.Controller && owner.APIVersion == "v1" && owner.Kind == "Pod" {
			return Ref{Namespace: claim.Namespace, Name: owner.Name, UID: owner.UID}, true
		}
	}
	return Ref{}, false
}

// PodNames returns the names of the pods needed by PlanClaim: consumers and the owner.
func PodNames(claim *resourceapi.ResourceClaim) []string {
	var names []string
	for _, consumer := range claim.Status.ReservedFor {
		if isPod(consumer) {
			names = append(names, consumer.Name)
		}
	}
	if owner, ok := OwningPod(claim); ok {
		names = append(names, owner.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func isPod(consumer resourceapi.ResourceClaimConsumerReference) bool {
	return consumer.APIGroup == "" && consumer.Resource == "pods"
}
