package classicplan

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// RevokedAnnotation of a claim has the UID of the record whose allocation was taken
// out of the claim, or will never be in it. Setting it changes the claim's version, so
// that a write of that allocation which is still under way is refused.
const RevokedAnnotation = v1alpha1.GroupName + "/revoked"

// Step is one thing to do for a claim. The set is closed: Nothing, AddFinalizer,
// CreateRecord, Allocate, Revoke, Abandon, Deallocate and RemoveFinalizer.
type Step interface{ step() }

// Nothing is to be done until something changes.
type Nothing struct{ Why string }

// AddFinalizer updates the claim, before anything is allocated for it.
type AddFinalizer struct{ Driver string }

// CreateRecord creates the record of an attempt.
type CreateRecord struct{ Record *v1alpha1.ClassicClaim }

// Allocate has the driver allocate for the record's node. On success two writes
// follow: the record's status, with Allocated, then the claim's status, with the
// allocation. The second is sent once, for the claim that the step was planned for: it
// is not tried again for a newer one. If it fails, planning goes on from what there is.
type Allocate struct {
	Node string
	// Consumer is reserved together with the allocation, nil for an immediate one.
	Consumer *resourceapi.ResourceClaimConsumerReference
}

// Revoke takes the allocation out of the claim, or makes sure that it does not get
// there; then the record's status is updated to Deallocating.
type Revoke struct {
	Record *v1alpha1.ClassicClaim
	Why    string
}

// Abandon updates the record's status to Deallocating, after an attempt that cannot
// have got as far as writing to the claim.
type Abandon struct {
	Record *v1alpha1.ClassicClaim
	Why    string
}

// Deallocate has the driver free what it has for the record's claim, if anything, then
// removes the record: first its finalizer, then the object.
type Deallocate struct{ Record *v1alpha1.ClassicClaim }

// RemoveFinalizer updates a claim for which nothing is held.
type RemoveFinalizer struct{ Driver string }

func (Nothing) step()         {}
func (AddFinalizer) step()    {}
func (CreateRecord) step()    {}
func (Allocate) step()        {}
func (Revoke) step()          {}
func (Abandon) step()         {}
func (Deallocate) step()      {}
func (RemoveFinalizer) step() {}

// NeedsLiveRecord says whether a step must be planned from the record that the API
// server has, not from one of a cache: calls of the driver are refused by nobody, and
// neither is a write to the claim, which would take back its next allocation for a record
// that is gone.
func NeedsLiveRecord(step Step) bool {
	switch step.(type) {
	case Allocate, Deallocate, Revoke:
		return true
	default:
		return false
	}
}

// Apply returns the claim with the finalizer.
func (s AddFinalizer) Apply(claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	claim = claim.DeepCopy()
	claim.Finalizers = append(claim.Finalizers, Finalizer(s.Driver))
	return claim
}

// Apply returns the claim without the finalizer and without RevokedAnnotation.
func (s RemoveFinalizer) Apply(claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	claim = claim.DeepCopy()
	claim.Finalizers = slices.DeleteFunc(claim.Finalizers, func(name string) bool { return name == Finalizer(s.Driver) })
	delete(claim.Annotations, RevokedAnnotation)
	return claim
}

// Apply returns the claim as it has to be written, and whether that is its status; nil
// if the claim is as it has to be.
func (s Revoke) Apply(claim *resourceapi.ResourceClaim) (changed *resourceapi.ResourceClaim, status bool) {
	if claim.Status.Allocation != nil {
		claim = claim.DeepCopy()
		claim.Status.Allocation, claim.Status.Devices = nil, nil
		return claim, true
	}
	if claim.Annotations[RevokedAnnotation] == string(s.Record.UID) {
		return nil, false
	}
	claim = claim.DeepCopy()
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, RevokedAnnotation, string(s.Record.UID))
	return claim, false
}

// Deallocating returns a record with that phase.
func Deallocating(record *v1alpha1.ClassicClaim) *v1alpha1.ClassicClaim {
	record = record.DeepCopy()
	record.Status.Phase = v1alpha1.Deallocating
	return record
}

// Released returns a record without the finalizer of its driver.
func Released(record *v1alpha1.ClassicClaim) *v1alpha1.ClassicClaim {
	record = record.DeepCopy()
	finalizer := Finalizer(string(record.Spec.DriverName))
	record.Finalizers = slices.DeleteFunc(record.Finalizers, func(name string) bool { return name == finalizer })
	return record
}
