package claimplan

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// ClaimView is what is known of a claim and of the pods that PodNames lists.
type ClaimView struct {
	Claim *resourceapi.ResourceClaim
	// Pods are from the cache, by name. They may be older than the claim: the pod
	// that it was reserved for may not have arrived yet.
	Pods map[string]*corev1.Pod
	// Deleted are the pods whose deletion was seen.
	Deleted sets.Set[types.UID]
	// Live is what the API server has said after the claim was read, by name: nil if
	// there is no such pod.
	Live map[string]*corev1.Pod
}

// fate is what becomes of a pod's hold on a claim.
type fate int

const (
	keep fate = iota
	drop
	// unknown: only a live look-up can tell.
	unknown
)

// fate says whether a pod still needs a claim. Only what is certain makes it lose
// it: a reservation that is dropped while its pod starts would take the devices from
// under it. A pod that is not in the cache, or one with the same name and another
// UID, is no proof, because events of pods and claims come in no common order.
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
