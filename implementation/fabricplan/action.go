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

// Attach asks the fabric for a device of a model. The answer goes into
// ClaimView.Answers. It may be asked as often as one likes.
type Attach struct{ Key, Model, Node string }

// VerifyNode asks the API server, not a cache, whether there is a node. The answer goes
// into ClaimView.Nodes.
type VerifyNode struct{ Name string }

// WriteStatus updates the status of the claim that was planned for, in its version.
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

// PollClaim says that the fabric has to be asked again, although no object changes.
type PollClaim struct{}

// CreateSlice creates a slice of a pool.
type CreateSlice struct{ Slice *resourceapi.ResourceSlice }

// UpdateSlice updates a slice of a pool, in the version that was planned for.
type UpdateSlice struct{ Slice *resourceapi.ResourceSlice }

// DeleteSlice deletes a slice. The UID is a precondition.
type DeleteSlice struct {
	Name string
	UID  types.UID
}

// VerifyClaims asks the API server, not a cache, for all claims. They go into
// DetachView.Claims, with DetachView.Live.
type VerifyClaims struct{}

// Cordon creates a rule that keeps pods away from a device.
type Cordon struct{ Rule *resourceapi.DeviceTaintRule }

// Uncordon deletes such a rule. The UID is a precondition.
type Uncordon struct {
	Name string
	UID  types.UID
	Why  string
}

// Detach gives a device back that was attached with a key.
type Detach struct{ Device, Node, Key string }

// PlanAgain says that a device waits for being detached: plan again after CordonFor.
type PlanAgain struct{}

// Fail reports what cannot be done until somebody changes it.
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

// Apply returns the claim with the status that was planned.
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
