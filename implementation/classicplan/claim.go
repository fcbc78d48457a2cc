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

// ClaimView is what a driver's controller knows of a claim.
type ClaimView struct {
	// Driver is the name of the driver whose controller plans.
	Driver string
	// Claim is nil if there is none of the name.
	Claim *resourceapi.ResourceClaim
	// Record is the ClassicClaim of the name, nil if there is none.
	Record *v1alpha1.ClassicClaim
	// Class is the claim's, nil if it does not exist or the claim is not classic. It is
	// needed only until an attempt begins.
	Class *v1alpha1.ResourceClass
	// Config is the claim's.
	Config v1alpha1.ClaimConfig
	// Selections are those of pods that wait for the claim, in any order.
	Selections []Selection
}

// Selection is the scheduler's choice for a pod that waits for a claim.
type Selection struct {
	PodName string
	PodUID  types.UID
	// Node is empty while the scheduler asks for suitable ones.
	Node string
	// Unsuitable says that some driver of the pod's claims cannot allocate on the node.
	Unsuitable bool
}

// PlanClaim returns the next step for a claim. When it is done, its result goes into
// the view, and the next one is planned, until there is nothing to do.
//
// The driver frees a resource only when the record says Deallocating, and a record
// says so only when the claim is not allocated and cannot become so by that attempt.
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

// Orphaned says that there is a record, and not the claim that it is for. A cache may not
// have that claim yet: before such a view is planned for, the API server has to be asked
// for it, as what is freed may be in use.
func (v ClaimView) Orphaned() bool {
	return v.Record != nil && (v.Claim == nil || v.Claim.UID != v.Record.Spec.ClaimUID)
}

// dissolve ends a record whose claim cannot be written to.
func (v ClaimView) dissolve(why string) Step {
	if v.Record.Status.Phase == v1alpha1.Deallocating {
		return Deallocate{v.Record}
	}
	return Abandon{v.Record, why}
}

// allocated plans for a claim that has an allocation. While somebody has reserved it,
// it stays.
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
		// The next pod is not tied to the node of the last one.
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
		// Somebody has cleared the allocation: the stock scheduler does that when a pod does
		// not fit. Or it was not written: to the claim, that is the same.
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

// untouched plans for a claim that has neither allocation nor record.
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

// wish returns what has to be allocated, or why nothing.
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
	// What an attempt was begun for stays, although another pod is now first.
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
