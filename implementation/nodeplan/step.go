package nodeplan

import (
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Plan is what Next returns.
type Plan struct {
	// Steps are what can be done now. None of them depends on another.
	Steps []Step
	// Pods has an outcome for each pod that was asked for.
	Pods map[types.UID]Outcome
}

// Step is one thing to do. The set is closed: WriteCheckpoint, Call and LookUp.
type Step interface{ step() }

// WriteCheckpoint stores the claims of the node. It is the last step of its plan, and
// there must be no other plan before it is answered.
type WriteCheckpoint struct {
	Claims []ClaimInfo
	change change
}

// Durable says that the checkpoint has to survive a power failure before anything else
// is done: it has claims, or users of claims, that are new, and a driver is called for
// them next. Without one that only has devices, or less claims, the drivers are called
// once more.
func (w WriteCheckpoint) Durable() bool { return len(w.change.claims)+len(w.change.pods) > 0 }

// Call calls a driver for the claims of one pod.
type Call struct {
	Op Op
	// Pod is the one for which it is called. Others may wait for it as well.
	Pod    types.UID
	Driver string
	Claims []ClaimRef
}

// ClaimRef is how drivers get to know a claim.
type ClaimRef struct {
	ClaimID
	UID types.UID
}

// LookUp gets a claim from the API server because a driver says that there is no such
// claim.
type LookUp struct {
	// Pod is the one for which this is done. Others may wait for it as well.
	Pod    types.UID
	Claim  ClaimRef
	Driver string
}

func (WriteCheckpoint) step() {}
func (Call) step()            {}
func (LookUp) step()          {}

// Answer is what came back from a driver.
type Answer struct {
	// Err is why there is nothing else: the driver could not be reached, did not
	// answer in time, answered with a gRPC error.
	Err error
	// NotFound says that the gRPC error has the code NOT_FOUND.
	NotFound bool
	// Claims has the answers for single claims.
	Claims map[types.UID]ClaimAnswer
}

// ClaimAnswer is what a driver says of one claim.
type ClaimAnswer struct {
	Error   string
	Devices []Device
}

// Found is the answer to a LookUp: a claim, nil if there is none of that name, or the
// error of the look-up.
type Found struct {
	Claim *resourceapi.ResourceClaim
	Err   error
}

// Phase is how far a pod is.
type Phase int

// The phases of a pod.
const (
	// Busy: there are steps to do, or on their way. Ask again when one was answered.
	Busy Phase = iota
	// Done: the pod's claims are prepared, or it has none left here.
	Done
	// Failed: see Outcome.Err.
	Failed
)

// Outcome says where a pod is.
type Outcome struct {
	Phase Phase
	// Err is worded for users: it becomes part of an event of the pod.
	Err error
	// RetryAt is when trying again makes sense, zero if there is no reason to wait.
	RetryAt time.Time
	// Drivers are those that do not do their part, sorted.
	Drivers []string
}

// change is what becomes true with a checkpoint.
type change struct {
	// claims are new here.
	claims map[ClaimID]*claim
	// pods are the new users of claims, new or not.
	pods map[ClaimID]sets.Set[types.UID]
	// removed are done with.
	removed sets.Set[ClaimID]
	// edition is which one of each claim is written.
	edition map[*claim]int
}
