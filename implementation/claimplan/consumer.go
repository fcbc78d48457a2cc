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
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// ClaimView is the known state of a claim and of its PodNames.
type ClaimView struct {
	Claim *resourceapi.ResourceClaim
	// Pods are from the cache, by name. They may be older than the claim: its pod may not have
	// arrived yet.
	Pods map[string]*corev1.Pod
	// Deleted are the pods with an observed deletion.
	Deleted sets.Set[types.UID]
	// Live are pods read from the API server after the claim, by name: nil if there is no such pod.
	Live map[string]*corev1.Pod
}

// fate is the state of a pod's use of a claim.
type fate int

const (
	keep fate = iota
	drop
	// unknown requires a live lookup.
	unknown
)

// fate decides whether a pod still needs a claim. Only certainty drops a reservation: dropping it
// while the pod starts would free devices in use. A pod missing in the cache, or cached with
// another UID, is no proof, because pod and claim events are not ordered.
func (v ClaimView) fate(pod Ref) (fate, string) {
	if v.Deleted.Has(pod.UID) {
		return drop, "the pod was deleted"
	}
	current, verified := v.Live[pod.Name]
	if !verified {
		current = v.Pods[pod.Name]
	}
	switch {
	case current != nil && current.UID == pod.UID && Done(current):
		return drop, "the pod will not run anymore"
	case current != nil && current.UID == pod.UID:
		return keep, ""
	case !verified:
		return unknown, ""
	case current == nil:
		return drop, "the pod is gone"
	default:
		return drop, "the pod was replaced by another one with the same name"
	}
}
