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

package fabricplan

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Action is one thing to do. The set is closed: Attach, VerifyNode, WriteStatus, PollClaim,
// CreateSlice, UpdateSlice, DeleteSlice, VerifyClaims, Cordon, Uncordon, Detach, PlanAgain
// and Fail.
type Action interface{ action() }

// Attach requests a device of a model from the fabric. The answer goes into ClaimView.Answers. It
// is idempotent.
type Attach struct{ Key, Model, Node string }

// VerifyNode looks up a node on the API server, bypassing the cache. The answer goes into
// ClaimView.Nodes.
type VerifyNode struct{ Name string }

// WriteStatus updates the status of the planned claim, with its resourceVersion.
type WriteStatus struct {
	Devices []resourceapi.AllocatedDeviceStatus
	// Notes are events for the claim.
	Notes []Note
}

// Note is an event.
type Note struct {
	// Type is corev1.EventTypeNormal or corev1.EventTypeWarning.
	Type, Reason, Message string
}

// PollClaim asks to query the fabric again, even if no object changes.
type PollClaim struct{}

// CreateSlice creates a slice of a pool.
type CreateSlice struct{ Slice *resourceapi.ResourceSlice }

// UpdateSlice updates a slice of a pool, with the planned resourceVersion.
type UpdateSlice struct{ Slice *resourceapi.ResourceSlice }

// DeleteSlice deletes a slice. The UID is a precondition.
type DeleteSlice struct {
	Name string
	UID  types.UID
}

// VerifyClaims lists all claims from the API server, bypassing the cache. They go into
// DetachView.Claims, with DetachView.Live.
type VerifyClaims struct{}

// Cordon creates a taint rule to keep pods off a device.
type Cordon struct{ Rule *resourceapi.DeviceTaintRule }

// Uncordon deletes such a rule. The UID is a precondition.
type Uncordon struct {
	Name string
	UID  types.UID
	Why  string
}

// Detach detaches a device attached with a key.
type Detach struct{ Device, Node, Key string }

// PlanAgain asks to plan again after CordonFor, for a cordoned device.
type PlanAgain struct{}

// Fail reports a problem requiring intervention.
type Fail struct{ Err error }

func (Attach) action()       {}
func (VerifyNode) action()   {}
func (WriteStatus) action()  {}
func (PollClaim) action()    {}
func (CreateSlice) action()  {}
func (UpdateSlice) action()  {}
func (DeleteSlice) action()  {}
func (VerifyClaims) action() {}
func (Cordon) action()       {}
func (Uncordon) action()     {}
func (Detach) action()       {}
func (PlanAgain) action()    {}
func (Fail) action()         {}

// Apply returns the claim with the planned status.
func (a WriteStatus) Apply(claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	claim = claim.DeepCopy()
	claim.Status.Devices = a.Devices
	return claim
}

func normal(reason, message string) Note {
	return Note{Type: corev1.EventTypeNormal, Reason: reason, Message: message}
}

func warning(reason, message string) Note {
	return Note{Type: corev1.EventTypeWarning, Reason: reason, Message: message}
}
