package state

import (
	"errors"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ErrInUse: a device of an allocation is in use by another claim.
var ErrInUse = errors.New("device in use")

// State follows all claims of a cluster. It is safe for concurrent use; changes
// are applied one after the other.
type State struct{}

// New returns a state without claims.
func New() *State { panic("not implemented") }

// Set records what an event or a successful API call says of a claim. An older
// version of a claim than the known one is ignored (resourceVersion, same UID). A
// claim in flight keeps its assumed allocation until Forget or until the API
// object itself has an allocation.
func (s *State) Set(claim *resourceapi.ResourceClaim) { panic("not implemented") }

// Delete forgets a claim that is gone from the API server, in flight or not.
func (s *State) Delete(uid types.UID) { panic("not implemented") }

// Assume records that a claim is about to get its allocation: its devices are in
// use from now on. It fails with ErrInUse, naming device and holder, and changes
// nothing if a device that it wants as a whole is in use, or one that it wants a
// share of is in use as a whole; results with admin access are not checked. It also
// fails if the claim is in flight or allocated already.
func (s *State) Assume(claim *resourceapi.ResourceClaim) error { panic("not implemented") }

// Confirm ends the flight of a claim with what the API server answered.
func (s *State) Confirm(claim *resourceapi.ResourceClaim) { panic("not implemented") }

// Forget ends the flight of a claim that did not get its allocation. A claim that
// is not in flight is left alone.
func (s *State) Forget(uid types.UID) { panic("not implemented") }

// InFlight returns the allocation that a claim is about to get, nil if none.
func (s *State) InFlight(uid types.UID) *resourceapi.AllocationResult { panic("not implemented") }

// Fork returns a copy for a what-if; dropping it is the way back.
func (s *State) Fork() *State { panic("not implemented") }

// Snapshot returns what is in use now. It costs nothing if nothing has changed.
func (s *State) Snapshot() *Snapshot { panic("not implemented") }
