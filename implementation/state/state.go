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
	// ErrInUse means another claim uses a device of an allocation.
	ErrInUse = errors.New("device in use")
	// ErrChanged means the use of a pool has changed since the allocation was made.
	ErrChanged = errors.New("use of pool changed")
)

// State tracks all claims of a cluster. It is safe for concurrent use; changes are serialized.
//
// A claim is identified by its UID: after delete and re-create under the same name it is another
// claim. Late updates for a deleted claim are ignored.
type State struct {
	mutex   sync.Mutex
	claims  map[types.UID]*claim
	deleted deletedClaims
	holders holders
	// dirty are the pools changed since the snapshot.
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

// Set records a claim from an event or a successful API call. It ignores an older version of a known
// claim (resourceVersion, same UID). A claim in flight keeps its assumed allocation until Forget or
// until the API object has an allocation, even a different one.
func (s *State) Set(claim *resourceapi.ResourceClaim) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.set(claim, false)
}

// Delete removes a claim deleted from the API server, in flight or not.
func (s *State) Delete(uid types.UID) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.deleted.add(uid)
	if known := s.claims[uid]; known != nil {
		s.replace(known, nil)
	}
}

// Assume marks the devices of planned allocations as in use. The allocations were made with seen. It
// applies to all claims or none. Errors:
//
//   - ErrChanged: the use of a pool has changed, which matters for counters and shared capacity.
//   - ErrInUse, with device and holder: a device needed as a whole is in use, or a device needed for a
//     share is in use as a whole. Results with admin access are not checked.
//   - A claim is in flight, allocated or deleted.
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

// unchanged returns ErrChanged if the use of one of the claim's pools has changed.
func unchanged(c *claim, seen, now *Snapshot) error {
	for h := range c.holdings() {
		if id := poolOf(h.result); seen.Pool(id) != now.Pool(id) {
			return fmt.Errorf("%w: %s", ErrChanged, id)
		}
	}
	return nil
}

// Confirm records the API server's response for a claim in flight and ends the flight.
func (s *State) Confirm(claim *resourceapi.ResourceClaim) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.set(claim, true)
}

// Forget drops the assumed allocation of a claim in flight. Other claims are unchanged.
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
		// The API server does not know the claim, so no event would remove it.
		s.replace(known, nil)
		return
	}
	next := *known
	next.inFlight = nil
	s.replace(known, &next)
}

// Restore puts a forgotten claim back in flight, for callers undoing their changes. It does not check
// other users of the devices. An allocated claim is unchanged.
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

// InFlight returns the assumed allocation of a claim, nil if there is none.
func (s *State) InFlight(uid types.UID) *resourceapi.AllocationResult {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if known := s.claims[uid]; known != nil {
		return known.inFlight
	}
	return nil
}

// Snapshot returns the current use. If nothing has changed, it returns the same pointer at no cost.
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

// set applies the API server's object; confirmed ends the flight.
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

// replace swaps the record of a claim; nil means none.
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
