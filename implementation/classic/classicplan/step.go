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

package classicplan

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// RevokedAnnotation of a claim has the UID of the record whose allocation was removed from the
// claim, or will never be in it. Setting it changes the claim's resourceVersion, so a write of that
// allocation in flight is rejected.
const RevokedAnnotation = v1alpha1.GroupName + "/revoked"

// Step is one action for a claim. The set is closed: Nothing, AddFinalizer, CreateRecord, Allocate,
// Revoke, Abandon, Deallocate and RemoveFinalizer.
type Step interface{ step() }

// Nothing waits for a change.
type Nothing struct{ Why string }

// AddFinalizer updates the claim, before any allocation.
type AddFinalizer struct{ Driver string }

// CreateRecord creates the record of an attempt.
type CreateRecord struct{ Record *v1alpha1.ClassicClaim }

// Allocate has the driver allocate for the record's node. On success two writes follow: the
// record's status, with Allocated, then the claim's status, with the allocation. The second is sent
// once, for the planned version of the claim, and not retried for a newer one. If it fails, plan
// again from the current objects.
type Allocate struct {
	Node string
	// Consumer is reserved together with the allocation, nil for an immediate one.
	Consumer *resourceapi.ResourceClaimConsumerReference
}

// Revoke removes the allocation from the claim, or prevents it; then the record's status is updated
// to Deallocating.
type Revoke struct {
	Record *v1alpha1.ClassicClaim
	Why    string
}

// Abandon updates the record's status to Deallocating, after an attempt that cannot have written to
// the claim.
type Abandon struct {
	Record *v1alpha1.ClassicClaim
	Why    string
}

// Deallocate has the driver free all resources of the record's claim, then removes the record:
// first its finalizer, then the object.
type Deallocate struct{ Record *v1alpha1.ClassicClaim }

// RemoveFinalizer updates a claim without resources.
type RemoveFinalizer struct{ Driver string }

func (Nothing) step()         {}
func (AddFinalizer) step()    {}
func (CreateRecord) step()    {}
func (Allocate) step()        {}
func (Revoke) step()          {}
func (Abandon) step()         {}
func (Deallocate) step()      {}
func (RemoveFinalizer) step() {}

// NeedsLiveRecord reports whether a step must be planned from the API server's record, not a cached
// one. No conflict stops a driver call, or a claim write based on a deleted record, and the write would
// revert the claim's next allocation.
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

// Apply returns the changed claim, and whether the change is in its status; nil if nothing has to
// change.
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

// Released returns a record without its driver's finalizer.
func Released(record *v1alpha1.ClassicClaim) *v1alpha1.ClassicClaim {
	record = record.DeepCopy()
	finalizer := Finalizer(string(record.Spec.DriverName))
	record.Finalizers = slices.DeleteFunc(record.Finalizers, func(name string) bool { return name == finalizer })
	return record
}
