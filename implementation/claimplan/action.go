package claimplan

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// FieldManager is the field manager of the claim names in the status of pods. It is
// the one of kube-controller-manager, so that either can take over from the other.
const FieldManager = "ResourceClaimController"

// Ref names one particular object.
type Ref struct {
	Namespace, Name string
	UID             types.UID
}

// Action is one thing to do. The set is closed: VerifyClaim, VerifyPod, CreateClaim,
// RecordClaimNames, Reserve, Release, RemoveFinalizer, DeleteClaim and Fail.
type Action interface{ action() }

// VerifyClaim asks for a claim that should exist and is not in the cache. The answer
// goes into PodView.Claims, or into PodView.NoClaim if there is none.
type VerifyClaim struct{ Namespace, Name string }

// VerifyPod asks for a pod because the cache may lag behind. The answer goes into
// ClaimView.Live, or into PodView.Live and PodView.Verified; nil if there is none.
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

// Reserve updates the status of a claim: one more pod may use it.
type Reserve struct {
	Claim    Ref
	Consumer resourceapi.ResourceClaimConsumerReference
}

// Release updates the status of a claim: reservations that are not needed any more
// are dropped, and the allocation with the last one of them.
type Release struct {
	Claim Ref
	// Dropped says what is dropped and why, for logging.
	Dropped []Dropped
	// Deallocate says that the allocation is cleared, too.
	Deallocate bool
}

// Dropped is a reservation without a user.
type Dropped struct {
	Consumer resourceapi.ResourceClaimConsumerReference
	Why      string
}

// RemoveFinalizer updates a claim that is not allocated any more.
type RemoveFinalizer struct{ Claim Ref }

// DeleteClaim deletes a claim that was made for a pod and outlived its use. The UID
// is a precondition.
type DeleteClaim struct {
	Claim Ref
	Why   string
}

// Fail reports what keeps a pod from getting on.
type Fail struct {
	Err error
	// Event is the message of a warning event for the pod with the reason
	// ReasonFailedCreation, empty if there is to be none.
	Event string
	// Retry says that trying again later may help although no object changes.
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

// Apply returns the claim without what is released.
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

// Apply returns the claim without the finalizer that protects its allocation.
func (a RemoveFinalizer) Apply(claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	claim = claim.DeepCopy()
	claim.Finalizers = slices.DeleteFunc(claim.Finalizers, func(name string) bool { return name == resourceapi.Finalizer })
	return claim
}

func refOf(claim *resourceapi.ResourceClaim) Ref {
	return Ref{Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID}
}
