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

package nodeplan

import (
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Plan is the result of Next.
type Plan struct {
	// Steps are executable now and independent of each other.
	Steps []Step
	// Pods has an outcome for each desired pod.
	Pods map[types.UID]Outcome
}

// Step is one thing to do. The set is closed: WriteCheckpoint, Call and LookUp.
type Step interface{ step() }

// WriteCheckpoint stores the claims of the node. It is the last step of its plan. Do not plan again
// before it is answered.
type WriteCheckpoint struct {
	Claims []ClaimInfo
	change change
}

// Durable reports whether the checkpoint has to survive a power failure before the next step: it
// has new claims or users, and a driver is called for them next. Losing a checkpoint that only has
// devices, or fewer claims, costs another call.
func (w WriteCheckpoint) Durable() bool { return len(w.change.claims)+len(w.change.pods) > 0 }

// Call calls a driver for the claims of one pod.
type Call struct {
	Op Op
	// Pod is the pod of the call. Others may wait for it as well.
	Pod    types.UID
	Driver string
	Claims []ClaimRef
}

// ClaimRef identifies a claim to drivers.
type ClaimRef struct {
	ClaimID
	UID types.UID
}

// LookUp reads a claim from the API server because a driver answered NOT_FOUND.
type LookUp struct {
	// Pod is the pod of the lookup. Others may wait for it as well.
	Pod    types.UID
	Claim  ClaimRef
	Driver string
}

func (WriteCheckpoint) step() {}
func (Call) step()            {}
func (LookUp) step()          {}

// Answer is a driver's answer.
type Answer struct {
	// Err is the error of the whole call: connection failure, timeout or gRPC error.
	Err error
	// NotFound is set for the gRPC code NOT_FOUND.
	NotFound bool
	// Claims are the answers by claim.
	Claims map[types.UID]ClaimAnswer
}

// ClaimAnswer is a driver's answer for one claim.
type ClaimAnswer struct {
	Error   string
	Devices []Device
}

// Found is the answer to a LookUp: a claim, nil if there is none, or an error.
type Found struct {
	Claim *resourceapi.ResourceClaim
	Err   error
}

// Phase is the progress of a pod.
type Phase int

// The phases of a pod.
const (
	// Busy: steps are pending or in flight. Plan again after an answer.
	Busy Phase = iota
	// Done: the pod's claims are prepared, or it has none left here.
	Done
	// Failed: see Outcome.Err.
	Failed
)

// Outcome is the state of a pod.
type Outcome struct {
	Phase Phase
	// Err is for users: it becomes part of a pod event.
	Err error
	// RetryAt is the earliest useful retry, zero for immediately.
	RetryAt time.Time
	// Drivers are the blocking drivers, sorted.
	Drivers []string
}

// change is applied by a checkpoint.
type change struct {
	// claims are new here.
	claims map[ClaimID]*claim
	// pods are the new users of claims, new or not.
	pods map[ClaimID]sets.Set[types.UID]
	// removed are unused claims.
	removed sets.Set[ClaimID]
	// edition is the written edition of each claim.
	edition map[*claim]int
}
