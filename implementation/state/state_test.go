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
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
)

func TestWhatCounts(t *testing.T) {
	s := New()
	s.Set(claimAt("c1", 1, whole(poolA, "d1"), admin(whole(poolA, "d2")), admin(share(poolA, "d3", "s0", "1Gi"))))
	s.Set(claimAt("c2", 2, share(poolA, "d4", "s1", "1Gi"), share(poolB, "d4", "s2", "")))
	s.Set(claimAt("c3", 3, share(poolA, "d4", "s3", "2Gi"), whole(poolB, "d1")))
	s.Set(claimAt("c4", 4))
	for _, want := range []struct{ pool, device, use string }{
		{poolA, "d1", "whole"}, {poolA, "d2", "free"}, {poolA, "d3", "free"}, {poolA, "d4", "2 shares 3Gi"},
		{poolB, "d1", "whole"}, {poolB, "d4", "1 shares"}, {"other", "d1", "free"},
	} {
		expect(t, s, want.pool, want.device, want.use)
	}
	if n := len(s.Snapshot().Pool(poolID(poolA)).Devices); n != 2 {
		t.Errorf("%d devices of pool a are listed, want only the 2 in use", n)
	}
	if (Use{}).Allocated() || !(Use{Whole: true}).Allocated() || !(Use{Shares: 1}).Allocated() {
		t.Error("Allocated is wrong")
	}
}

func TestNilSnapshotIsFree(t *testing.T) {
	if got := use(nil, poolA, "d1"); got != "free" {
		t.Errorf("device of a nil snapshot is %s", got)
	}
}

func TestAPIEvents(t *testing.T) {
	s := New()
	s.Set(claimAt("c1", 5, whole(poolA, "d1")))
	s.Set(claimAt("c1", 4))
	expect(t, s, poolA, "d1", "whole") // stale event
	s.Set(claimAt("c1", 10))
	expect(t, s, poolA, "d1", "free")
	s.Set(claimAt("c1", 11, whole(poolA, "d2")))
	expect(t, s, poolA, "d2", "whole")
	s.Delete("c1")
	expect(t, s, poolA, "d2", "free")
	if pool := s.Snapshot().Pool(poolID(poolA)); pool != nil {
		t.Errorf("pool without use is %v", pool)
	}
}

func TestClaimCreatedAgainUnderTheSameName(t *testing.T) {
	s := New()
	old := claimAt("c1", 5, whole(poolA, "d1"))
	again := claimAt("c2", 7, whole(poolA, "d2"))
	again.Name = old.Name
	s.Set(old)
	s.Set(again) // before the old one is deleted
	expect(t, s, poolA, "d1", "whole")
	s.Delete("c1")
	expect(t, s, poolA, "d1", "free")
	expect(t, s, poolA, "d2", "whole")
}

func TestLateNewsOfADeletedClaim(t *testing.T) {
	s := New()
	mustAssume(t, s, claimAt("c1", 1, whole(poolA, "d1")))
	s.Delete("c1")
	expect(t, s, poolA, "d1", "free")
	s.Confirm(claimAt("c1", 2, whole(poolA, "d1")))
	s.Set(claimAt("c1", 3, whole(poolA, "d1")))
	expect(t, s, poolA, "d1", "free")
	if err := s.Assume(s.Snapshot(), claimAt("c1", 1, whole(poolA, "d1"))); err == nil {
		t.Error("a deleted claim was assumed")
	}
	for i := range maxDeleted {
		s.Delete(types.UID(fmt.Sprint("other", i)))
	}
	if len(s.deleted.uids) != maxDeleted || len(s.deleted.ring) != maxDeleted || s.deleted.has("c1") {
		t.Errorf("%d deleted claims are remembered, want %d", len(s.deleted.uids), maxDeleted)
	}
	s.Delete("c1")
	s.Delete("c1")
	if len(s.deleted.uids) != maxDeleted || !s.deleted.has("c1") {
		t.Errorf("%d deleted claims are remembered, want %d", len(s.deleted.uids), maxDeleted)
	}
}

func TestFlight(t *testing.T) {
	s := New()
	s.Set(claimAt("c1", 1))
	assumed := claimAt("c1", 1, whole(poolA, "d1"))
	mustAssume(t, s, assumed)
	expect(t, s, poolA, "d1", "whole")
	if s.InFlight("c1") != assumed.Status.Allocation || s.InFlight("c2") != nil {
		t.Error("InFlight does not return what was assumed")
	}
	s.Set(claimAt("c1", 2)) // finalizer added
	expect(t, s, poolA, "d1", "whole")
	s.Forget("c1")
	expect(t, s, poolA, "d1", "free")
	s.Forget("c1")

	mustAssume(t, s, assumed)
	s.Confirm(claimAt("c1", 3, whole(poolA, "d1")))
	s.Forget("c1")
	expect(t, s, poolA, "d1", "whole")
	if s.InFlight("c1") != nil {
		t.Error("a confirmed claim is in flight")
	}
}

func TestTheAPIWinsOverWhatWasAssumed(t *testing.T) {
	s := New()
	mustAssume(t, s, claimAt("c1", 1, whole(poolA, "d1")))
	s.Set(claimAt("c1", 2, whole(poolA, "d2")))
	expect(t, s, poolA, "d1", "free")
	expect(t, s, poolA, "d2", "whole")
	s.Forget("c1")
	expect(t, s, poolA, "d2", "whole")
}

func TestConfirmIsOvertakenByEvents(t *testing.T) {
	s := New()
	mustAssume(t, s, claimAt("c1", 1, whole(poolA, "d1")))
	s.Set(claimAt("c1", 3)) // allocated in version 2, deallocated in version 3
	s.Confirm(claimAt("c1", 2, whole(poolA, "d1")))
	expect(t, s, poolA, "d1", "free")
}

func TestForgetLeavesNothingOfAnUnknownClaim(t *testing.T) {
	s := New()
	mustAssume(t, s, claimAt("c1", 0, whole(poolA, "d1")))
	s.Forget("c1")
	s.Snapshot()
	if len(s.claims) != 0 || len(s.holders) != 0 {
		t.Errorf("left are %d claims and %d pools", len(s.claims), len(s.holders))
	}
}

func TestAssumeRefuses(t *testing.T) {
	s := New()
	s.Set(claimAt("taken", 1, whole(poolA, "d1"), share(poolA, "d2", "s1", "")))
	mustAssume(t, s, claimAt("assumed", 1, whole(poolB, "d1")))
	before := s.Snapshot()
	for _, c := range []struct {
		name  string
		claim *resourceapi.ResourceClaim
		want  string // empty: accepted; "device…": ErrInUse
	}{
		{"no allocation", claimAt("c", 1), "assume claim default/c: it has no allocation"},
		{"in flight", claimAt("assumed", 1, whole(poolA, "d9")), "assume claim default/assumed: it is being allocated already"},
		{"allocated", claimAt("taken", 1, whole(poolA, "d9")), "assume claim default/taken: it is allocated already"},
		{"whole of whole", claimAt("c", 1, whole(poolA, "d9"), whole(poolA, "d1")), "device in use: claim default/taken has driver.example.com/a/d1"},
		{"share of whole", claimAt("c", 1, share(poolB, "d1", "s2", "")), "device in use: claim default/assumed has driver.example.com/b/d1"},
		{"whole of share", claimAt("c", 1, whole(poolA, "d2")), "device in use: claim default/taken has driver.example.com/a/d2"},
		{"share of share", claimAt("c1", 1, share(poolA, "d2", "s2", "")), ""},
		{"admin", claimAt("c2", 1, admin(whole(poolA, "d1"))), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := s.Assume(s.Snapshot(), c.claim)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.HasSuffix(err.Error(), c.want) || errors.Is(err, ErrInUse) != strings.HasPrefix(c.want, "device") {
				t.Errorf("got error %v, want %s", err, c.want)
			}
			if s.Snapshot() != before {
				t.Error("a refused claim has changed something")
			}
		})
	}
}

func TestPointersChangeWithTheUse(t *testing.T) {
	s := New()
	empty := s.Snapshot()
	s.Set(claimAt("c1", 1, whole(poolA, "d1")))
	s.Set(claimAt("c2", 1, whole(poolB, "d1")))
	first := s.Snapshot()
	if first == empty || s.Snapshot() != first {
		t.Fatal("the snapshot must change with a change, and only then")
	}
	s.Set(claimAt("c1", 2, whole(poolA, "d1"))) // reserved for another pod
	s.Delete("c3")
	mustAssume(t, s, claimAt("c4", 1, whole(poolA, "d2")))
	s.Forget("c4")
	if s.Snapshot() != first {
		t.Error("the snapshot has changed without a change of use")
	}
	s.Delete("c1")
	second := s.Snapshot()
	if second.Pool(poolID(poolA)) == first.Pool(poolID(poolA)) || second.Pool(poolID(poolB)) != first.Pool(poolID(poolB)) {
		t.Error("want another pointer for pool a and the same for pool b")
	}
	if use(first, poolA, "d1") != "whole" {
		t.Error("a snapshot has changed")
	}
}

// A share recorded by both names of a capacity, with and without the driver's domain, counted twice.
func TestCapacityRecordedByBothNames(t *testing.T) {
	both := share(poolA, "d1", "s1", "1Gi")
	both.ConsumedCapacity[driver+"/memory"] = both.ConsumedCapacity["memory"]
	long := share(poolA, "d1", "s2", "")
	long.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{driver + "/memory": resource.MustParse("2Gi")}
	s := New()
	s.Set(claimAt("c1", 1, both))
	expect(t, s, poolA, "d1", "1 shares 1Gi")
	s.Set(claimAt("c2", 1, long))
	expect(t, s, poolA, "d1", "2 shares 3Gi")
}

// Quantities beyond int64 contain pointers; adding to a copy must not change the claim.
func TestConsumedDoesNotTouchClaims(t *testing.T) {
	s := New()
	huge := "100000000000000000000000000"
	c1, c2 := claimAt("c1", 1, share(poolA, "d1", "s1", huge)), claimAt("c2", 1, share(poolA, "d1", "s2", huge))
	s.Set(c1)
	s.Set(c2)
	s.Snapshot()
	for _, c := range []*resourceapi.ResourceClaim{c1, c2} {
		memory := c.Status.Allocation.Devices.Results[0].ConsumedCapacity["memory"]
		if memory.Cmp(resource.MustParse(huge)) != 0 {
			t.Errorf("claim %s now consumes %s", c.Name, memory.String())
		}
	}
}

// Capacity and counters belong to the pool, so allocations from an old snapshot may miss consumption.
func TestAssumeByAnOldSnapshot(t *testing.T) {
	s := New()
	seen := s.Snapshot()
	s.Set(claimAt("c1", 1, share(poolA, "d1", "s1", "1Gi")))
	next := claimAt("c2", 1, share(poolA, "d1", "s2", "1Gi"))
	if err := s.Assume(seen, next); !errors.Is(err, ErrChanged) {
		t.Errorf("assume by an old snapshot: %v", err)
	}
	if err := s.Assume(seen, claimAt("c3", 1, whole(poolB, "d1"))); err != nil {
		t.Errorf("assume in another pool: %v", err)
	}
	mustAssume(t, s, next)
	expect(t, s, poolA, "d1", "2 shares 2Gi")
}

func TestAssumeAllOrNothing(t *testing.T) {
	s := New()
	s.Set(claimAt("c1", 1))
	first, second := claimAt("c1", 1, whole(poolA, "d1")), claimAt("c2", 1, whole(poolA, "d1"))
	if err := s.Assume(s.Snapshot(), first, second); !errors.Is(err, ErrInUse) {
		t.Errorf("assume one device twice: %v", err)
	}
	expect(t, s, poolA, "d1", "free")
	if s.InFlight("c1") != nil {
		t.Error("the first claim is in flight")
	}
	if err := s.Assume(s.Snapshot(), first, claimAt("c2", 1, whole(poolA, "d2"))); err != nil {
		t.Error(err)
	}
	expect(t, s, poolA, "d2", "whole")
}

func TestRestore(t *testing.T) {
	s := New()
	claim := claimAt("c", 1, whole(poolA, "d1"))
	mustAssume(t, s, claim)
	s.Forget(claim.UID)
	s.Set(claimAt("other", 1, whole(poolA, "d1")))
	s.Restore(claim)
	if s.InFlight(claim.UID) == nil {
		t.Error("the claim is not in flight")
	}
	s.Delete("other")
	expect(t, s, poolA, "d1", "whole")
	s.Confirm(claimAt("c", 2, whole(poolA, "d2")))
	s.Restore(claim)
	expect(t, s, poolA, "d1", "free")
	expect(t, s, poolA, "d2", "whole")
}
