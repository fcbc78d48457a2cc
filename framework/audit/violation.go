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
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Rule names what was violated.
type Rule string

// The rules of Devices.
const (
	// DoubleAllocated: a device is allocated whole to two claims or requests.
	DoubleAllocated Rule = "double-allocated"
	// WholeAndShared: a device is allocated whole and, at the same time, shared.
	WholeAndShared Rule = "whole-and-shared"
	// NotShareable: a device is shared that does not allow it.
	NotShareable Rule = "not-shareable"
	// CapacityExceeded: shares consume more than the device has.
	CapacityExceeded Rule = "capacity-exceeded"
	// ConsumptionUnstated: a share does not say how much it consumes of one of the
	// device's capacities, zero included (resource.k8s.io/v1, ConsumedCapacity).
	ConsumptionUnstated Rule = "consumption-unstated"
	// ShareIDReused: two shares of a device have the same ID.
	ShareIDReused Rule = "share-id-reused"
	// CounterNegative: devices consume more of a shared counter than there is.
	CounterNegative Rule = "counter-negative"
	// ReservedUnallocated: a claim is reserved and not allocated.
	ReservedUnallocated Rule = "reserved-unallocated"
	// UnknownDevice: a claim has a device that no slice has. Only a warning,
	// because drivers may withdraw devices that are in use.
	UnknownDevice Rule = "unknown-device"
)

// The rules of Pods.
const (
	// BoundWithoutClaim: a pod is bound, but one of its claims does not exist, is
	// not allocated or is not reserved for it, or it has none for an extended
	// resource that a device class stands for.
	BoundWithoutClaim Rule = "bound-without-claim"
	// WrongNode: a pod is bound to a node for which its claim is not allocated.
	WrongNode Rule = "wrong-node"
)

// The rules of Settled, Unended and Failed.
const (
	// StaleReservation: a claim is reserved for a pod that is gone or has ended.
	StaleReservation Rule = "stale-reservation"
	// LeakedClaim: a claim was generated for a pod that is gone, has ended or
	// uses another one.
	LeakedClaim Rule = "leaked-claim"
	// LeakedExtendedClaim is the same for the special claim of a pod with
	// extended resources.
	LeakedExtendedClaim Rule = "leaked-extended-claim"
	// FinalizerLeft: a claim is protected from deletion and not allocated.
	FinalizerLeft Rule = "finalizer-left"
	// NotDeleted: a claim is being deleted and does not go away.
	NotDeleted Rule = "not-deleted"
	// UnusedAllocation: a claim is allocated and reserved for nobody. Only a
	// warning, because claims may be allocated by others than the scheduler.
	UnusedAllocation Rule = "unused-allocation"
	// PodStuck: a pod that should have ended has not.
	PodStuck Rule = "pod-stuck"
	// PodFailed: a pod that should have succeeded has failed.
	PodFailed Rule = "pod-failed"
	// StartCut: a pod has failed because the start of a container was cancelled. Only
	// a warning, because that happens whenever a kubelet is killed in the middle of
	// it: containerd gives up with it, and a pod that is not restarted fails.
	StartCut Rule = "start-cut"
	// Frozen: processes of a container were frozen and nobody was there to thaw them.
	// Only a warning, because with cgroup v1 runc freezes a container while it changes
	// its devices, and containerd kills it when the kubelet that it works for dies:
	// such processes cannot be killed, so that the pod would never go.
	Frozen Rule = "frozen"
)

// The rules of Drivers.
const (
	// NotPrepared: a pod has run, and no driver has prepared its claim.
	NotPrepared Rule = "not-prepared"
	// NotUnprepared: the last that a driver was asked for a claim is to prepare it,
	// or it could not unprepare it.
	NotUnprepared Rule = "not-unprepared"
	// StillPrepared: a driver has a claim prepared that nobody uses any more.
	StillPrepared Rule = "still-prepared"
	// CheckpointLeft: a kubelet remembers a claim that nobody uses any more.
	CheckpointLeft Rule = "checkpoint-left"
)

// The rules of Attached, AttachedForNobody and PublishedAttached.
const (
	// AttachedTwice: a device of a fabric is attached to two nodes.
	AttachedTwice Rule = "attached-twice"
	// DetachedInUse: a claim that is in use has a device of a fabric which is not attached
	// for it.
	DetachedInUse Rule = "detached-in-use"
	// BoundUnattached: a pod is bound, and a device of a fabric that its claim is to get is
	// not attached yet.
	BoundUnattached Rule = "bound-unattached"
	// HadByTwo: two claims that are in use, or two requests of one, have the same device of a
	// fabric, be it by a slot or as a local device.
	HadByTwo Rule = "had-by-two"
	// LeftAttached: a device of a fabric is attached, and no claim has it.
	LeftAttached Rule = "left-attached"
	// PublishedUnattached: a slice of a node has a device of a fabric that is not attached to
	// the node.
	PublishedUnattached Rule = "published-unattached"
)

// Warning is whether a violation of the rule proves nothing by itself.
func (r Rule) Warning() bool {
	return r == UnknownDevice || r == UnusedAllocation || r == StartCut || r == Frozen
}

// Object is an API object that proves something.
type Object interface {
	metav1.Object
	runtime.Object
}

// Violation is a rule that does not hold.
type Violation struct {
	Rule Rule
	// Subject is what the rule is about, where that is no object: a device.
	Subject string
	// Text says what is wrong, for people.
	Text string
	// Evidence are the objects from whose state it follows.
	Evidence []Object
}

// String is the violation in one line.
func (v Violation) String() string { return string(v.Rule) + ": " + v.Text }

// Identity is the same for the same violation in two states of the cluster.
func (v Violation) Identity() string {
	return v.identity(func(o Object) string { return string(o.GetUID()) })
}

func (v Violation) identity(of func(Object) string) string {
	parts := make([]string, 0, len(v.Evidence))
	for _, o := range v.Evidence {
		parts = append(parts, of(o))
	}
	slices.Sort(parts)
	return fmt.Sprintf("%s %s %s", v.Rule, v.Subject, strings.Join(parts, " "))
}

// Confirm keeps those of the first read that the second one, which began when the
// first had ended, found again with the same versions of all objects: as nothing
// changed between the reads, there was a moment at which all of it was so.
func Confirm(first, second []Violation) []Violation {
	again := map[string]bool{}
	version := func(o Object) string { return string(o.GetUID()) + "@" + o.GetResourceVersion() }
	for _, v := range second {
		again[v.identity(version)] = true
	}
	return slices.DeleteFunc(slices.Clone(first), func(v Violation) bool { return !again[v.identity(version)] })
}

// Sorted puts violations into an order that does not depend on the objects'.
func Sorted(found []Violation) []Violation {
	slices.SortStableFunc(found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Text, b.Text))
	})
	return found
}
