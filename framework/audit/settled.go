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

package audit

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Settled checks the cleanup some time after pods have come or gone: reservations, generated claims, finalizers.
func Settled(w World) []Violation {
	pods := map[types.UID]*corev1.Pod{}
	for i := range w.Pods {
		pods[w.Pods[i].UID] = &w.Pods[i]
	}
	var found []Violation
	for i := range w.Claims {
		claim := &w.Claims[i]
		found = append(found, checkReservations(claim, pods)...)
		found = append(found, checkOwner(claim, pods)...)
		allocated := claim.Status.Allocation != nil
		if claim.DeletionTimestamp != nil {
			found = append(found, About(NotDeleted, claim, "was deleted at %s and is still there, finalizers %v", claim.DeletionTimestamp.UTC().Format("15:04:05"), claim.Finalizers))
		}
		if !allocated && slices.Contains(claim.Finalizers, resourceapi.Finalizer) {
			found = append(found, About(FinalizerLeft, claim, "is not allocated and has the finalizer %s", resourceapi.Finalizer))
		}
		if allocated && len(claim.Status.ReservedFor) == 0 {
			found = append(found, About(UnusedAllocation, claim, "is allocated and reserved for nobody"))
		}
	}
	return Sorted(found)
}

func checkReservations(claim *resourceapi.ResourceClaim, pods map[types.UID]*corev1.Pod) []Violation {
	var found []Violation
	for _, r := range claim.Status.ReservedFor {
		if r.APIGroup != "" || r.Resource != "pods" {
			continue
		}
		if state := gone(pods[r.UID]); state != "" {
			v := About(StaleReservation, claim, "is reserved for pod %s (UID %s), which %s", r.Name, r.UID, state)
			v.Subject = string(r.UID)
			found = append(found, v)
		}
	}
	return found
}

func checkOwner(claim *resourceapi.ResourceClaim, pods map[types.UID]*corev1.Pod) []Violation {
	owner := metav1.GetControllerOf(claim)
	if owner == nil || owner.Kind != "Pod" || owner.APIVersion != "v1" {
		return nil
	}
	rule := LeakedClaim
	if claim.Annotations[resourceapi.ExtendedResourceClaimAnnotation] == "true" {
		rule = LeakedExtendedClaim
	}
	pod := pods[owner.UID]
	state := gone(pod)
	if state == "" {
		if names, _ := ClaimNames(pod); !slices.Contains(names, claim.Name) {
			state = "uses other claims"
		}
	}
	if state == "" {
		return nil
	}
	return []Violation{About(rule, claim, "was generated for pod %s (UID %s), which %s", owner.Name, owner.UID, state)}
}

// gone returns why a pod needs no resources any more, or "".
func gone(pod *corev1.Pod) string {
	switch {
	case pod == nil:
		return "is gone"
	case ended(pod):
		return "has ended"
	default:
		return ""
	}
}
