package state

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// model is the slow twin of State: it keeps the claims and walks all of them.
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

func atoi(s string) (n int) {
	fmt.Sscan(s, &n)
	return n
}

// randomClaim returns one of a few claims at a random version, with or without an
// allocation of a few devices.
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

func TestRandomHistoriesAgainstTheModel(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		s := New()
		m := &model{api: map[types.UID]*resourceapi.ResourceClaim{}, assumed: map[types.UID]*resourceapi.ResourceClaim{}, deleted: map[types.UID]bool{}}
		var kept *Snapshot
		var keptContent map[inventory.DeviceID]string
		for step := range 80 {
			c := randomClaim(r)
			switch r.IntN(12) {
			case 0, 1, 2:
				s.Set(c)
				m.set(c)
			case 3, 4, 5, 6:
				want := m.mayAssume(c)
				if err := s.Assume(c); (err == nil) != want {
					t.Fatalf("seed %d step %d: assume: %v, want success: %v", seed, step, err, want)
				}
				if want {
					m.assumed[c.UID] = c
				}
			case 7:
				s.Confirm(c)
				m.set(c)
				delete(m.assumed, c.UID)
			case 8, 9:
				s.Forget(c.UID)
				delete(m.assumed, c.UID)
			case 10:
				if r.IntN(4) == 0 {
					s.Delete(c.UID)
					delete(m.api, c.UID)
					delete(m.assumed, c.UID)
					m.deleted[c.UID] = true
				}
			case 11:
				fork := s.Fork()
				s, fork = fork, s
				fork.Delete(c.UID)
			}
			if r.IntN(3) == 0 {
				continue // Several changes between two snapshots.
			}
			if kept != nil && !maps.Equal(flatten(kept), keptContent) {
				t.Fatalf("seed %d step %d: a snapshot has changed", seed, step)
			}
			kept = s.Snapshot()
			keptContent = flatten(kept)
			want := make(map[inventory.DeviceID]string)
			for id, u := range m.uses() {
				want[id] = describe(u)
			}
			if !maps.Equal(keptContent, want) {
				t.Fatalf("seed %d step %d:\ngot  %v\nwant %v", seed, step, keptContent, want)
			}
		}
	}
}
