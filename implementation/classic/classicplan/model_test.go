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

package classicplan_test

import (
	"maps"
	"testing"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

var names = []string{"c0", "c1", "c2"}

// event is a random action of users, schedulers and time.
func (w *world) event() {
	name := names[w.IntN(len(names))]
	c := w.claims[name]
	switch n := w.IntN(40); {
	case n < 4 && c == nil:
		w.create(name)
	case n < 5 && c != nil && c.DeletionTimestamp == nil:
		w.delete(name)
	case n < 10 && c != nil:
		w.selections[name] = []classicSelection{selects("pod", []string{"", "a", "b"}[w.IntN(3)])}
	case n < 12:
		w.selections[name] = nil // The pod is deleted or bound.
	case n < 14 && c != nil && c.Status.Allocation != nil:
		w.setUsers(c, len(c.Status.ReservedFor) == 0)
	case n < 15 && c != nil && c.Status.Allocation != nil && len(c.Status.ReservedFor) == 0:
		cleared := c.DeepCopy() // By the stock scheduler.
		cleared.Status = resourceapi.ResourceClaimStatus{}
		w.storeClaim(cleared, true)
		w.seen["cleared"]++
	case n < 16 && w.records[name] != nil:
		r := w.records[name].DeepCopy()
		r.Spec.DeallocationRequested = true
		w.storeRecord(r)
	case n < 18 && len(w.late) > 0:
		i := w.IntN(len(w.late))
		do := w.late[i]
		w.late = append(w.late[:i:i], w.late[i+1:]...)
		do()
	case n < 23:
		w.olderClaims, w.cachedClaims = w.cachedClaims, maps.Clone(w.claims)
	case n < 28:
		w.cachedRecords = maps.Clone(w.records)
	default:
		w.sync(name)
	}
	w.check()
}

func (w *world) setUsers(c *resourceapi.ResourceClaim, used bool) {
	c = c.DeepCopy()
	c.Status.ReservedFor = nil
	if used && c.DeletionTimestamp == nil {
		reserved(1)(c)
	}
	w.storeClaim(c, true)
}

// settle lets everything in progress end, with all claims unused, and reports whether the state is
// stable after the given rounds.
func (w *world) settle() bool {
	for _, do := range w.late {
		do()
	}
	for range 40 {
		before := w.version
		w.late = nil
		w.cachedClaims, w.cachedRecords = maps.Clone(w.claims), maps.Clone(w.records)
		for _, name := range names {
			w.sync(name)
			if c := w.claims[name]; c != nil && len(c.Status.ReservedFor) > 0 {
				w.setUsers(c, false)
			}
		}
		if w.version == before && len(w.late) == 0 {
			return true
		}
	}
	return false
}

// For any order of events: a device is never reused while an allocation names it, none is leaked,
// and in the end claims have their expected state.
func TestClaimsInAnyOrder(t *testing.T) {
	seen := make(map[string]int)
	for seed := range uint64(1000) {
		w := newWorld(t, seed)
		for range 300 {
			w.event()
		}
		clear(w.selections)
		if !w.settle() {
			t.Fatalf("seed %d: does not settle", seed)
		}
		for _, name := range names {
			c, mode := w.claims[name], w.modes[name]
			switch {
			case c == nil:
			case c.DeletionTimestamp != nil:
				t.Errorf("seed %d: claim %s is not gone", seed, name)
			case mode == v1alpha1.Immediate && c.Status.Allocation == nil && len(w.held) < 2:
				t.Errorf("seed %d: claim %s is not allocated although there is a device", seed, name)
			case mode == v1alpha1.WaitForFirstConsumer && (c.Status.Allocation != nil || len(c.Finalizers) > 0):
				t.Errorf("seed %d: claim %s is left with %v, %v", seed, name, c.Status.Allocation, c.Finalizers)
			}
		}
		for name, r := range w.records {
			if c := w.claims[name]; c == nil || c.UID != r.Spec.ClaimUID {
				t.Errorf("seed %d: record %s is left", seed, name)
			}
		}
		for what, count := range w.seen {
			seen[what] += count
		}
		if t.Failed() {
			return
		}
	}
	for _, what := range []string{
		"a late write", "an outdated cache", "killed before a write", "killed after a write", "no device", "cleared",
		"classicplan.AddFinalizer", "classicplan.CreateRecord", "classicplan.Allocate", "classicplan.Revoke",
		"classicplan.Abandon", "classicplan.Deallocate", "classicplan.RemoveFinalizer",
	} {
		if seen[what] < 100 {
			t.Errorf("happened only %d times: %s", seen[what], what)
		}
	}
}
