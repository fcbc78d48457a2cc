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
	"k8s.io/apimachinery/pkg/types"
)

// FieldManager is the field manager of claim names in pod status. It is that of
// kube-controller-manager, so either can take over from the other.
const FieldManager = "ResourceClaimController"

// Ref names one object.
type Ref struct {
	Namespace, Name string
	UID             types.UID
}

// Action is one thing to do. The set is closed: VerifyClaim, VerifyPod, CreateClaim,
// RecordClaimNames, Reserve, Release, RemoveFinalizer, DeleteClaim and Fail.
type Action interface{ action() }

// VerifyClaim looks up a claim missing in the cache. The answer goes into PodView.Claims, or into
// PodView.NoClaim if there is none.
type VerifyClaim struct{ Namespace, Name string }

// VerifyPod looks up a pod because the cache may be stale. The answer goes into ClaimView.Live, or
// into PodView.Live and PodView.Verified; nil if there is none.
type VerifyPod struct{ Namespace, Name string }

// CreateClaim creates a claim from a template.
type CreateClaim struct {
	// PodClaim is the name in the pod's spec, for CreationFailed.
	PodClaim string
	Claim    *resourceapi.ResourceClaim
}

// RecordClaimNames applies the status of a pod as FieldManager, with force.
type RecordClaimNames struct {
	Pod Ref
	// Statuses is the complete list, sorted by name. It replaces the old one.
	Statuses []corev1.PodResourceClaimStatus
}

// Reserve adds a pod to a claim's status.
type Reserve struct {
	Claim    Ref
	Consumer resourceapi.ResourceClaimConsumerReference
}

// Release drops unused reservations from a claim's status, and the allocation with the last one.
type Release struct {
	Claim Ref
	// Dropped lists the dropped reservations and reasons, for logging.
	Dropped []Dropped
	// Deallocate also clears the allocation.
	Deallocate bool
}

// Dropped is a reservation without a user.
type Dropped struct {
	Consumer resourceapi.ResourceClaimConsumerReference
	Why      string
}

// RemoveFinalizer updates a deallocated claim.
type RemoveFinalizer struct{ Claim Ref }

// DeleteClaim deletes an unused claim generated for a pod. The UID is a precondition.
type DeleteClaim struct {
	Claim Ref
	Why   string
}

// Fail reports an error blocking a pod.
type Fail struct {
	Err error
	// Event is the message of a pod warning event with the reason ReasonFailedCreation, or empty
	// for none.
	Event string
	// Retry asks for a retry with backoff, even if no object changes.
	Retry bool
}

func (VerifyClaim) action()      {}
func (VerifyPod) action()        {}
func (CreateClaim) action()      {}
func (RecordClaimNames) action() {}
func (Reserve) action()          {}
func (Release) action()          {}
func (RemoveFinalizer) action()  {}
func (DeleteClaim) action()      {}
func (Fail) action()             {}

// Apply returns the claim with the reservation added.
func (a Reserve) Apply(claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	claim = claim.DeepCopy()
	claim.Status.ReservedFor = append(claim.Status.ReservedFor, a.Consumer)
	return claim
}

// Apply returns the claim after the release.
func (a Release) Apply(claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	claim = claim.DeepCopy()
	claim.Status.ReservedFor = slices.DeleteFunc(claim.Status.ReservedFor, func(consumer resourceapi.ResourceClaimConsumerReference) bool {
		return slices.ContainsFunc(a.Dropped, func(dropped Dropped) bool { return dropped.Consumer == consumer })
	})
	if a.Deallocate {
		claim.Status.Allocation = nil
	}
	return claim
}

// Apply returns the claim without its allocation finalizer.
func (a RemoveFinalizer) Apply(claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	claim = claim.DeepCopy()
	claim.Finalizers = slices.DeleteFunc(claim.Finalizers, func(name string) bool { return name == resourceapi.Finalizer })
	return claim
}

func refOf(claim *resourceapi.ResourceClaim) Ref {
	return Ref{Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID}
}
