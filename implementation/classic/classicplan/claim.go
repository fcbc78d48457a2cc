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
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// ClaimView is the state of a claim known to a driver's controller.
type ClaimView struct {
	// Driver is the name of the controller's driver.
	Driver string
	// Claim is nil if there is none of the name.
	Claim *resourceapi.ResourceClaim
	// Record is the ClassicClaim of the name, nil if there is none.
	Record *v1alpha1.ClassicClaim
	// Class is the claim's class, nil if it does not exist or the claim is not classic. It is
	// needed only until an attempt begins.
	Class *v1alpha1.ResourceClass
	// Config is the claim's configuration.
	Config v1alpha1.ClaimConfig
	// Selections are from pods waiting for the claim, in any order.
	Selections []Selection
}

// Selection is the scheduler's choice for a pod waiting for a claim.
type Selection struct {
	PodName string
	PodUID  types.UID
	// Node is empty while the scheduler asks for suitable nodes.
	Node string
	// Unsuitable is set if a driver of the pod's claims cannot allocate on the node.
	Unsuitable bool
}

// PlanClaim returns the next step for a claim. Execute it, update the view and plan again, until
// nothing is left.
//
// The driver frees a resource only in phase Deallocating, and a record gets that phase only when
// its claim is not allocated and can no longer be allocated by that attempt.
func PlanClaim(v ClaimView) Step {
	record := v.Record
	if record != nil && string(record.Spec.DriverName) != v.Driver {
		return Nothing{"the claim is another driver's"}
	}
	if v.Orphaned() {
		return v.dissolve("the claim is gone")
	}
	switch {
	case v.Claim == nil:
		return Nothing{"the claim is gone"}
	case v.Claim.Status.Allocation != nil:
		return v.allocated()
	case record != nil:
		return v.attempted()
	default:
		return v.untouched()
	}
}

// Orphaned reports whether there is a record without its claim. The claim may be missing in the
// cache: look it up on the API server before planning, or a resource in use may be freed.
func (v ClaimView) Orphaned() bool {
	return v.Record != nil && (v.Claim == nil || v.Claim.UID != v.Record.Spec.ClaimUID)
}

// dissolve ends a record without a writable claim.
func (v ClaimView) dissolve(why string) Step {
	if v.Record.Status.Phase == v1alpha1.Deallocating {
		return Deallocate{v.Record}
	}
	return Abandon{v.Record, why}
}

// allocated plans for an allocated claim. It stays while reserved.
func (v ClaimView) allocated() Step {
	switch {
	case v.Record == nil:
		return Nothing{"somebody else has allocated the claim"}
	case len(v.Claim.Status.ReservedFor) > 0:
		return Nothing{"the claim is in use"}
	case v.Record.Status.Phase == v1alpha1.Deallocating:
		return Revoke{v.Record, "the resource is being freed"}
	case v.Claim.DeletionTimestamp != nil:
		return Revoke{v.Record, "the claim is being deleted"}
	case v.Record.Spec.DeallocationRequested:
		return Revoke{v.Record, "deallocation was requested"}
	case v.Record.Spec.AllocationMode != v1alpha1.Immediate && len(v.Selections) == 0:
		// Do not tie the next pod to the node of the last one.
		return Revoke{v.Record, "no pod uses the claim or waits for it"}
	default:
		return Nothing{"the claim is allocated"}
	}
}

// attempted plans for a claim without allocation for which there is a record.
func (v ClaimView) attempted() Step {
	record := v.Record
	switch record.Status.Phase {
	case v1alpha1.Deallocating:
		return Deallocate{record}
	case v1alpha1.Allocated:
		// The allocation was cleared (the stock scheduler does that when a pod does not fit) or
		// never written: the result is the same.
		return Revoke{record, "the allocation was cleared"}
	}
	wish, why := v.wish()
	switch {
	case wish == nil:
		return Abandon{record, why}
	case wish.Node != record.Spec.SelectedNode:
		return Abandon{record, fmt.Sprintf("the selected node is %q now", wish.Node)}
	case record.Spec.DeallocationRequested:
		return Abandon{record, "deallocation was requested"}
	case !has(v.Claim.Finalizers, v.Driver):
		return AddFinalizer{v.Driver}
	default:
		return *wish
	}
}

// untouched plans for a claim without allocation or record.
func (v ClaimView) untouched() Step {
	wish, why := v.wish()
	protected := has(v.Claim.Finalizers, v.Driver)
	switch {
	case wish == nil && protected:
		return RemoveFinalizer{v.Driver}
	case wish == nil:
		return Nothing{why}
	case !protected:
		return AddFinalizer{v.Driver}
	default:
		return CreateRecord{v.newRecord(wish.Node)}
	}
}

// wish returns the next allocation, or why there is none.
func (v ClaimView) wish() (wish *Allocate, why string) {
	switch {
	case v.Claim.DeletionTimestamp != nil:
		return nil, "the claim is being deleted"
	case v.Class == nil:
		return nil, "the claim has no resource class"
	case string(v.Class.DriverName) != v.Driver:
		return nil, "the claim is another driver's"
	case v.Config.AllocationMode == v1alpha1.Immediate:
		return &Allocate{}, ""
	}
	candidates := slices.DeleteFunc(slices.Clone(v.Selections), func(s Selection) bool { return s.Node == "" || s.Unsuitable })
	if len(candidates) == 0 {
		return nil, "no node is selected"
	}
	// An attempt in progress stays, even if another pod is now first.
	slices.SortFunc(candidates, func(a, b Selection) int {
		return cmp.Or(v.rank(a)-v.rank(b), cmp.Compare(a.PodName, b.PodName), cmp.Compare(a.PodUID, b.PodUID))
	})
	first := candidates[0]
	return &Allocate{Node: first.Node, Consumer: &resourceapi.ResourceClaimConsumerReference{
		APIGroup: corev1.GroupName, Resource: "pods", Name: first.PodName, UID: first.PodUID,
	}}, ""
}

func (v ClaimView) rank(s Selection) int {
	if v.Record != nil && v.Record.Spec.SelectedNode == s.Node {
		return 0
	}
	return 1
}

func (v ClaimView) newRecord(node string) *v1alpha1.ClassicClaim {
	return &v1alpha1.ClassicClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: v.Claim.Namespace, Name: v.Claim.Name, Finalizers: []string{Finalizer(v.Driver)},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: resourceapi.SchemeGroupVersion.String(), Kind: "ResourceClaim", Name: v.Claim.Name, UID: v.Claim.UID,
			}},
		},
		Spec: v1alpha1.ClassicClaimSpec{
			ClaimUID: v.Claim.UID, DriverName: v1alpha1.DriverName(v.Driver), AllocationMode: v.Config.AllocationMode, SelectedNode: node,
		},
	}
}
