package state

import (
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// ErrInUse: a device of an allocation is in use by another claim.
var ErrInUse = errors.New("device in use")

// State follows all claims of a cluster. It is safe for concurrent use; changes
// are applied one after the other.
//
// A claim is known by its UID: one that was deleted and created again under the
// same name is another claim. What comes too late for a deleted claim is ignored.
type State struct {
	mutex   sync.Mutex
	claims  map[types.UID]*claim
	gone    graveyard
	holders holders
	// dirty are the pools that have changed since the snapshot.
	dirty    map[inventory.PoolID]bool
	snapshot *Snapshot
}

// New returns a state without claims.
func New() *State {
	return &State{
		claims:   make(map[types.UID]*claim),
		gone:     newGraveyard(),
		holders:  make(holders),
		dirty:    make(map[inventory.PoolID]bool),
		snapshot: &Snapshot{seed: maphash.MakeSeed()},
	}
}

// Set records what an event or a successful API call says of a claim. An older
// version of a claim than the known one is ignored (resourceVersion, same UID). A
// claim in flight keeps its assumed allocation until Forget or until the API
// object itself has an allocation; if that is a different one, it counts.
func (s *State) Set(claim *resourceapi.ResourceClaim) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.set(claim, false)
}

// Delete forgets a claim that is gone from the API server, in flight or not.
func (s *State) Delete(uid types.UID) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.gone.add(uid)
	if known := s.claims[uid]; known != nil {
		s.replace(known, nil)
	}
}

// Assume records that a claim is about to get its allocation: its devices are in
// use from now on. It fails with ErrInUse, naming device and holder, and changes
// nothing if a device that it wants as a whole is in use, or one that it wants a
// share of is in use as a whole; results with admin access are not checked. It also
// fails if the claim is in flight or allocated already, or deleted.
func (s *State) Assume(claim *resourceapi.ResourceClaim) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	next := newClaim(claim)
	next.inFlight = claim.Status.Allocation
	known := s.claims[claim.UID]
	switch {
	case next.inFlight == nil:
		return fmt.Errorf("assume claim %s: it has no allocation", next.name)
	case s.gone.has(claim.UID):
		return fmt.Errorf("assume claim %s: it is deleted", next.name)
	case known != nil && known.inFlight != nil:
		return fmt.Errorf("assume claim %s: it is being allocated already", next.name)
	case known != nil && known.allocation != nil:
		return fmt.Errorf("assume claim %s: it is allocated already", next.name)
	}
	if err := s.holders.check(next.inFlight); err != nil {
		return fmt.Errorf("assume claim %s: %w", next.name, err)
	}
	if known != nil {
		next.seen, next.version = known.seen, known.version
	}
	s.replace(known, &next)
	return nil
}

// Confirm ends the flight of a claim with what the API server answered.
func (s *State) Confirm(claim *resourceapi.ResourceClaim) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.set(claim, true)
}

// Forget ends the flight of a claim that did not get its allocation. A claim that
// is not in flight is left alone.
func (s *State) Forget(uid types.UID) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	known := s.claims[uid]
	if known == nil || known.inFlight == nil {
		return
	}
	if !known.seen {
		// The API server never heard of it, so that there would be no event that
		// removes it.
		s.replace(known, nil)
		return
	}
	next := *known
	next.inFlight = nil
	s.replace(known, &next)
}

// InFlight returns the allocation that a claim is about to get, nil if none.
func (s *State) InFlight(uid types.UID) *resourceapi.AllocationResult {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if known := s.claims[uid]; known != nil {
		return known.inFlight
	}
	return nil
}

// Fork returns a copy for a what-if; dropping it is the way back. It costs as much
// as there are claims.
func (s *State) Fork() *State {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return &State{
		claims:   maps.Clone(s.claims),
		gone:     s.gone.clone(),
		holders:  s.holders.clone(),
		dirty:    maps.Clone(s.dirty),
		snapshot: s.snapshot,
	}
}

// Snapshot returns what is in use now. It costs nothing if nothing has changed: the
// pointer is the same then.
func (s *State) Snapshot() *Snapshot {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.dirty) == 0 {
		return s.snapshot
	}
	changed := make(map[inventory.PoolID]*PoolUse, len(s.dirty))
	for id := range s.dirty {
		pool := s.holders[id]
		before := s.snapshot.Pool(id)
		if after := before.with(pool.changed()); after != before {
			changed[id] = after
		}
		if len(pool.devices) == 0 {
			delete(s.holders, id)
		} else {
			clear(pool.dirty)
		}
	}
	clear(s.dirty)
	if len(changed) > 0 {
		s.snapshot = s.snapshot.with(changed)
	}
	return s.snapshot
}

// set applies what the API server says; landed says that a flight is over, too.
func (s *State) set(object *resourceapi.ResourceClaim, landed bool) {
	if s.gone.has(object.UID) {
		return
	}
	known := s.claims[object.UID]
	next := newClaim(object)
	if known.knowsNewer(object.ResourceVersion) {
		next = *known
	} else {
		next.seen, next.version = true, object.ResourceVersion
		next.allocation = object.Status.Allocation
		if known != nil && next.allocation == nil {
			next.inFlight = known.inFlight
		}
	}
	if landed {
		next.inFlight = nil
	}
	s.replace(known, &next)
}

// replace changes what is known of a claim, nil for nothing.
func (s *State) replace(before, after *claim) {
	for h := range before.holdings() {
		s.dirtyPool(h).remove(h)
	}
	for h := range after.holdings() {
		s.dirtyPool(h).add(h)
	}
	if after == nil {
		delete(s.claims, before.uid)
	} else {
		s.claims[after.uid] = after
	}
}

func (s *State) dirtyPool(h holding) *poolHolders {
	id := poolOf(h.result)
	s.dirty[id] = true
	return s.holders.pool(id)
}
