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

package state

import (
	"errors"
	"fmt"
	"hash/maphash"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

var (
	// ErrInUse: a device of an allocation is in use by another claim.
	ErrInUse = errors.New("device in use")
	// ErrChanged: a pool is not used any more as it was when the allocation was made.
	ErrChanged = errors.New("use of pool changed")
)

// State follows all claims of a cluster. It is safe for concurrent use; changes
// are applied one after the other.
//
// A claim is known by its UID: one that was deleted and created again under the
// same name is another claim. What comes too late for a deleted claim is ignored.
type State struct {
	mutex   sync.Mutex
	claims  map[types.UID]*claim
	deleted deletedClaims
	holders holders
	// dirty are the pools that have changed since the snapshot.
	dirty    map[inventory.PoolID]bool
	snapshot *Snapshot
}

// New returns a state without claims.
func New() *State {
	return &State{
		claims:   make(map[types.UID]*claim),
		deleted:  newDeletedClaims(),
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
	s.deleted.add(uid)
	if known := s.claims[uid]; known != nil {
		s.replace(known, nil)
	}
}

// Assume records that claims are about to get their allocations, which were made by
// going by seen: their devices are in use from now on. All claims get theirs or
// nothing changes. It fails with ErrChanged if one of the pools is used differently
// now, which matters for its counters and for capacity that several claims share;
// with ErrInUse, naming device and holder, if a device that a claim wants as a
// whole is in use, or one that it wants a share of is in use as a whole. Results
// with admin access are not checked. It also fails if a claim is in flight or
// allocated already, or deleted.
func (s *State) Assume(seen *Snapshot, claims ...*resourceapi.ResourceClaim) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now := s.refresh()
	for i, object := range claims {
		next, err := s.assumed(object)
		if err == nil {
			err = unchanged(next, seen, now)
		}
		if err == nil {
			err = s.holders.check(next.inFlight)
		}
		if err != nil {
			for _, earlier := range claims[:i] {
				s.forget(earlier.UID)
			}
			return fmt.Errorf("assume claim %s/%s: %w", object.Namespace, object.Name, err)
		}
		s.replace(s.claims[object.UID], next)
	}
	return nil
}

// assumed returns the claim with its allocation in flight.
func (s *State) assumed(object *resourceapi.ResourceClaim) (*claim, error) {
	next := newClaim(object)
	next.inFlight = object.Status.Allocation
	known := s.claims[object.UID]
	switch {
	case next.inFlight == nil:
		return nil, errors.New("it has no allocation")
	case s.deleted.has(object.UID):
		return nil, errors.New("it is deleted")
	case known != nil && known.inFlight != nil:
		return nil, errors.New("it is being allocated already")
	case known != nil && known.allocation != nil:
		return nil, errors.New("it is allocated already")
	}
	if known != nil {
		next.seen, next.version = known.seen, known.version
	}
	return &next, nil
}

// unchanged returns ErrChanged if one of the claim's pools is used differently.
func unchanged(c *claim, seen, now *Snapshot) error {
	for h := range c.holdings() {
		if id := poolOf(h.result); seen.Pool(id) != now.Pool(id) {
			return fmt.Errorf("%w: %s", ErrChanged, id)
		}
	}
	return nil
}

// Confirm records what the API server answered for a claim in flight, which it is not
// any more.
func (s *State) Confirm(claim *resourceapi.ResourceClaim) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.set(claim, true)
}

// Forget drops the assumed allocation of a claim in flight that did not get it. A claim
// that is not in flight is left alone.
func (s *State) Forget(uid types.UID) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.forget(uid)
}

func (s *State) forget(uid types.UID) {
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

// Restore puts a claim in flight whose assumed allocation was forgotten, as it was and
// without a look at who else uses the devices: for those who undo what they did. A
// claim that is allocated stays so.
func (s *State) Restore(claim *resourceapi.ResourceClaim) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	next := newClaim(claim)
	known := s.claims[claim.UID]
	if known != nil {
		next = *known
	}
	if next.allocation != nil {
		return
	}
	next.inFlight = claim.Status.Allocation
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

// Snapshot returns what is in use now. It costs nothing if nothing has changed: the
// pointer is the same then.
func (s *State) Snapshot() *Snapshot {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.refresh()
}

func (s *State) refresh() *Snapshot {
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

// set applies what the API server says; confirmed says that the claim is not in flight any more.
func (s *State) set(object *resourceapi.ResourceClaim, confirmed bool) {
	if s.deleted.has(object.UID) {
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
	if confirmed {
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
