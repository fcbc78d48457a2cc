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

// Rule names a violated rule.
type Rule string

// The rules of Devices.
const (
	// DoubleAllocated: a device is allocated whole to two claims or requests.
	DoubleAllocated Rule = "double-allocated"
	// WholeAndShared: a device is allocated whole and, at the same time, shared.
	WholeAndShared Rule = "whole-and-shared"
	// NotShareable: a device is shared although it does not allow it.
	NotShareable Rule = "not-shareable"
	// CapacityExceeded: shares consume more than the device has.
	CapacityExceeded Rule = "capacity-exceeded"
	// ConsumptionUnstated: a share lacks its consumption of one of the device's capacities, zero included
	// (resource.k8s.io/v1, ConsumedCapacity).
	ConsumptionUnstated Rule = "consumption-unstated"
	// ShareIDReused: two shares of a device have the same ID.
	ShareIDReused Rule = "share-id-reused"
	// CounterNegative: devices consume more of a shared counter than there is.
	CounterNegative Rule = "counter-negative"
	// ReservedUnallocated: a claim is reserved and not allocated.
	ReservedUnallocated Rule = "reserved-unallocated"
	// UnknownDevice: a claim has a device in no slice. Only a warning, because drivers may withdraw devices in use.
	UnknownDevice Rule = "unknown-device"
)

// The rules of Pods.
const (
	// BoundWithoutClaim: a pod is bound, but one of its claims does not exist, is not allocated or is not reserved for
	// it, or a class-backed extended resource has no claim.
	BoundWithoutClaim Rule = "bound-without-claim"
	// WrongNode: a pod is bound to a node outside its claim's allocation.
	WrongNode Rule = "wrong-node"
)

// The rules of Settled, Unended and Failed.
const (
	// StaleReservation: a claim is reserved for a deleted or terminated pod.
	StaleReservation Rule = "stale-reservation"
	// LeakedClaim: the pod of a generated claim is deleted, terminated or uses another one.
	LeakedClaim Rule = "leaked-claim"
	// LeakedExtendedClaim is the same for the special claim of a pod with
	// extended resources.
	LeakedExtendedClaim Rule = "leaked-extended-claim"
	// FinalizerLeft: a claim is protected from deletion and not allocated.
	FinalizerLeft Rule = "finalizer-left"
	// NotDeleted: the deletion of a claim does not finish.
	NotDeleted Rule = "not-deleted"
	// UnusedAllocation: a claim is allocated without a reservation. Only a warning, because others than the scheduler
	// may allocate claims.
	UnusedAllocation Rule = "unused-allocation"
	// PodStuck: a pod that should have ended has not.
	PodStuck Rule = "pod-stuck"
	// PodFailed: a pod that should have succeeded has failed.
	PodFailed Rule = "pod-failed"
	// StartCut: a pod has failed because the start of a container was cancelled. Only a warning: if a kubelet is killed
	// meanwhile, containerd cancels the start, and a pod without restarts fails.
	StartCut Rule = "start-cut"
	// Frozen: processes of a container stayed frozen. Only a warning: with cgroup v1 runc freezes a container while it
	// changes its devices, and containerd kills runc when the kubelet dies. Such processes cannot be killed, so the pod
	// would never go.
	Frozen Rule = "frozen"
)

// The rules of Drivers.
const (
	// NotPrepared: a pod has run without a driver preparing its claim.
	NotPrepared Rule = "not-prepared"
	// NotUnprepared: a driver's last call for a claim is a prepare, or a failed unprepare.
	NotUnprepared Rule = "not-unprepared"
	// StillPrepared: a driver has an unused claim prepared.
	StillPrepared Rule = "still-prepared"
	// CheckpointLeft: a kubelet's checkpoint has an unused claim.
	CheckpointLeft Rule = "checkpoint-left"
)

// The rules of Attached, AttachedForNobody and PublishedAttached.
const (
	// AttachedTwice: a device of a fabric is attached to two nodes.
	AttachedTwice Rule = "attached-twice"
	// DetachedInUse: a fabric device of a claim in use is not attached for it.
	DetachedInUse Rule = "detached-in-use"
	// BoundUnattached: a pod is bound before a fabric device of its claim is attached.
	BoundUnattached Rule = "bound-unattached"
	// HadByTwo: two claims in use, or two requests of one, have the same fabric device, by slot or as a local device.
	HadByTwo Rule = "had-by-two"
	// LeftAttached: a fabric device is attached without a claim.
	LeftAttached Rule = "left-attached"
	// PublishedUnattached: a node's slice has a fabric device not attached to the node.
	PublishedUnattached Rule = "published-unattached"
)

// The rules for an installed driver under load.
const (
	// CallStuck: a call for a claim does not succeed.
	CallStuck Rule = "call-stuck"
	// DevicesLost: a node publishes fewer devices than before the load.
	DevicesLost Rule = "devices-lost"
	// OverBudget: the driver costs more than declared.
	OverBudget Rule = "over-budget"
	// FilesLeaked: the number of open files of the driver's process grows.
	FilesLeaked Rule = "files-leaked"
	// MemoryGrows: the memory of the driver's process grows. Only a warning, because a cache may be filling.
	MemoryGrows Rule = "memory-grows"
)

// Warning reports whether a violation of the rule proves nothing by itself.
func (r Rule) Warning() bool {
	return r == UnknownDevice || r == UnusedAllocation || r == StartCut || r == Frozen || r == MemoryGrows
}

// Object is an API object with evidence of a violation.
type Object interface {
	metav1.Object
	runtime.Object
}

// Violation is a violated rule.
type Violation struct {
	Rule Rule
	// Subject is the subject of the rule, if not an object: a device.
	Subject string
	// Text describes the violation.
	Text string
	// Evidence are the objects proving it.
	Evidence []Object
}

// String is the violation in one line.
func (v Violation) String() string { return string(v.Rule) + ": " + v.Text }

// Identity is equal for the same violation in two states of the cluster.
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

// Confirm returns the violations of the first read also found by the second read, with identical versions of all
// objects. If the second read began after the first had ended, nothing changed in between, so the violation existed
// at one moment.
func Confirm(first, second []Violation) []Violation {
	again := map[string]bool{}
	version := func(o Object) string { return string(o.GetUID()) + "@" + o.GetResourceVersion() }
	for _, v := range second {
		again[v.identity(version)] = true
	}
	return slices.DeleteFunc(slices.Clone(first), func(v Violation) bool { return !again[v.identity(version)] })
}

// Sorted sorts violations independently of the objects' order.
func Sorted(found []Violation) []Violation {
	slices.SortStableFunc(found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Text, b.Text))
	})
	return found
}
