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
	"maps"
	"math/rand/v2"
	"strconv"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// model is the slow twin of State: it walks all claims.
type model struct {
	api     map[types.UID]*resourceapi.ResourceClaim
	assumed map[types.UID]*resourceapi.ResourceClaim
	deleted map[types.UID]bool
}

func (m *model) uses() map[inventory.DeviceID]Use {
	uses := make(map[inventory.DeviceID]Use)
	for _, claims := range []map[types.UID]*resourceapi.ResourceClaim{m.api, m.assumed} {
		for _, c := range claims {
			if c.Status.Allocation == nil {
				continue
			}
			for _, r := range c.Status.Allocation.Devices.Results {
				if ptr.Deref(r.AdminAccess, false) {
					continue
				}
				id := inventory.DeviceID{Driver: r.Driver, Pool: r.Pool, Device: r.Device}
				u := uses[id]
				if r.ShareID == nil {
					u.Whole = true
				} else {
					u.Shares++
				}
				for name, quantity := range r.ConsumedCapacity {
					if u.Consumed == nil {
						u.Consumed = make(map[resourceapi.QualifiedName]resource.Quantity)
					}
					sum := u.Consumed[name]
					sum.Add(quantity)
					u.Consumed[name] = sum
				}
				uses[id] = u
			}
		}
	}
	return uses
}

func (m *model) set(c *resourceapi.ResourceClaim) {
	if m.deleted[c.UID] {
		return
	}
	if known := m.api[c.UID]; known != nil && atoi(known.ResourceVersion) > atoi(c.ResourceVersion) {
		return
	}
	m.api[c.UID] = c
	if c.Status.Allocation != nil {
		delete(m.assumed, c.UID)
	}
}

func (m *model) mayAssume(c *resourceapi.ResourceClaim) bool {
	if c.Status.Allocation == nil || m.deleted[c.UID] || m.assumed[c.UID] != nil {
		return false
	}
	if known := m.api[c.UID]; known != nil && known.Status.Allocation != nil {
		return false
	}
	uses := m.uses()
	for _, r := range c.Status.Allocation.Devices.Results {
		u := uses[inventory.DeviceID{Driver: r.Driver, Pool: r.Pool, Device: r.Device}]
		if !ptr.Deref(r.AdminAccess, false) && (u.Whole || u.Shares > 0 && r.ShareID == nil) {
			return false
		}
	}
	return true
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err) // the test's own versions
	}
	return n
}

// randomClaim returns one of a few claims at a random version, allocated or not.
func randomClaim(r *rand.Rand) *resourceapi.ResourceClaim {
	var results []result
	for i := range r.IntN(3) {
		device := whole([]string{poolA, poolB}[r.IntN(2)], fmt.Sprint("d", r.IntN(3)))
		if r.IntN(2) == 0 {
			device = share(device.Pool, device.Device, fmt.Sprint("s", i), []string{"", "1Gi", "500m"}[r.IntN(3)])
		}
		if r.IntN(6) == 0 {
			device = admin(device)
		}
		results = append(results, device)
	}
	return claimAt(fmt.Sprint("c", r.IntN(8)), 1+r.IntN(12), results...)
}

func flatten(s *Snapshot) map[inventory.DeviceID]string {
	flat := make(map[inventory.DeviceID]string)
	for _, shard := range s.shards {
		for id, pool := range shard {
			for name, u := range pool.Devices {
				flat[inventory.DeviceID{Driver: id.Driver, Pool: id.Pool, Device: name}] = describe(u)
			}
		}
	}
	return flat
}

// history is a State, its twin, and the last snapshot taken.
type history struct {
	state   *State
	model   *model
	kept    *Snapshot
	content map[inventory.DeviceID]string
}

// step applies an action to both and returns differences.
func (h *history) step(action int, c *resourceapi.ResourceClaim) error {
	switch action {
	case 0, 1, 2:
		h.state.Set(c)
		h.model.set(c)
	case 3, 4, 5, 6:
		want := h.model.mayAssume(c)
		if err := h.state.Assume(h.state.Snapshot(), c); (err == nil) != want {
			return fmt.Errorf("assume: %w, want success: %v", err, want)
		}
		if want {
			h.model.assumed[c.UID] = c
		}
	case 7:
		h.state.Confirm(c)
		h.model.set(c)
		delete(h.model.assumed, c.UID)
	case 8, 9:
		h.state.Forget(c.UID)
		delete(h.model.assumed, c.UID)
	default:
		h.state.Delete(c.UID)
		delete(h.model.api, c.UID)
		delete(h.model.assumed, c.UID)
		h.model.deleted[c.UID] = true
	}
	return nil
}

// check takes a snapshot and compares it. The previous snapshot must be unchanged.
func (h *history) check() error {
	if h.kept != nil && !maps.Equal(flatten(h.kept), h.content) {
		return errors.New("a snapshot has changed")
	}
	h.kept = h.state.Snapshot()
	h.content = flatten(h.kept)
	want := make(map[inventory.DeviceID]string)
	for id, u := range h.model.uses() {
		want[id] = describe(u)
	}
	if !maps.Equal(h.content, want) {
		return fmt.Errorf("got  %v\nwant %v", h.content, want)
	}
	return nil
}

func TestRandomHistoriesAgainstTheModel(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		h := history{state: New(), model: &model{
			api:     make(map[types.UID]*resourceapi.ResourceClaim),
			assumed: make(map[types.UID]*resourceapi.ResourceClaim),
			deleted: make(map[types.UID]bool),
		}}
		for step := range 80 {
			action := r.IntN(11)
			if action == 10 && r.IntN(4) != 0 {
				continue // Deleted claims never come back; keep most of them.
			}
			if err := h.step(action, randomClaim(r)); err != nil {
				t.Fatalf("seed %d step %d: %v", seed, step, err)
			}
			if r.IntN(3) == 0 {
				continue // Test several changes between two snapshots.
			}
			if err := h.check(); err != nil {
				t.Fatalf("seed %d step %d: %v", seed, step, err)
			}
		}
	}
}
