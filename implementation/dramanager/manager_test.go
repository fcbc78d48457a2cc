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

package dramanager

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

const driver = "driver.example.com"

func claim(name string, devices ...string) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name), ResourceVersion: "1"}}
	for _, device := range devices {
		if c.Status.Allocation == nil {
			c.Status.Allocation = &resourceapi.AllocationResult{}
		}
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results,
			resourceapi.DeviceRequestAllocationResult{Request: "r", Driver: driver, Pool: "pool", Device: device})
	}
	return c
}

func special(pod string, devices ...string) *resourceapi.ResourceClaim {
	c := claim(specialClaimName, devices...)
	c.UID, c.GenerateName = types.UID("special-"+pod), pod+"-extended-resources-"
	c.Annotations = map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"}
	c.OwnerReferences = []metav1.OwnerReference{{Kind: "Pod", Name: pod, UID: types.UID("uid-" + pod), Controller: ptr.To(true)}}
	return c
}

func pod(name string, claims ...string) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name)}}
	for _, c := range claims {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, v1.PodResourceClaim{Name: c, ResourceClaimName: ptr.To(c)})
	}
	return p
}

func manager(t *testing.T, claims ...*resourceapi.ResourceClaim) *Manager {
	t.Helper()
	m, err := New(Objects{Claims: claims})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// describe lists the manager's claims and devices.
func describe(m *Manager) string {
	var text strings.Builder
	claims, _ := m.ResourceClaims().List()
	for _, c := range claims {
		fmt.Fprintf(&text, "%s/%s", c.Name, c.UID)
		if c.Status.Allocation != nil {
			for _, r := range c.Status.Allocation.Devices.Results {
				fmt.Fprintf(&text, " %s", r.Device)
			}
		}
		fmt.Fprintf(&text, " for %d", len(c.Status.ReservedFor))
		if p, ok := m.pending[c.UID]; ok {
			fmt.Fprintf(&text, ", %d pending", p.sharers)
		}
		text.WriteString("\n")
	}
	used := m.State().Snapshot().Pool(inventory.PoolID{Driver: driver, Pool: "pool"})
	for _, device := range []string{"a", "b", "c"} {
		fmt.Fprintf(&text, "%s in use: %v\n", device, used.Device(device).Whole)
	}
	fmt.Fprintf(&text, "%d slices", len(m.slices))
	return text.String()
}

func TestSignal(t *testing.T) {
	for _, test := range []struct {
		name    string
		claims  []*resourceapi.ResourceClaim
		signals []*resourceapi.ResourceClaim
		want    int // sharers of the last claim
		err     string
	}{
		{"a claim without an allocation", []*resourceapi.ResourceClaim{claim("x")}, []*resourceapi.ResourceClaim{claim("x", "a")}, 1, ""},
		{"a claim that is allocated", []*resourceapi.ResourceClaim{claim("x", "a")}, []*resourceapi.ResourceClaim{claim("x", "a")}, 0, ""},
		{"a claim that is not known", nil, []*resourceapi.ResourceClaim{claim("x", "a")}, 0, "not found"},
		{"a special claim", nil, []*resourceapi.ResourceClaim{special("p", "a")}, 1, ""},
		{"twice", []*resourceapi.ResourceClaim{claim("x")}, []*resourceapi.ResourceClaim{claim("x", "a"), claim("x", "a")}, 2, ""},
		{"twice, with other devices", []*resourceapi.ResourceClaim{claim("x")}, []*resourceapi.ResourceClaim{claim("x", "a"), claim("x", "b")}, 2, ""},
		{"a device that is in use", []*resourceapi.ResourceClaim{claim("x"), claim("y", "a")}, []*resourceapi.ResourceClaim{claim("x", "a")}, 0, "claim ns/y has"},
		{"no allocation", []*resourceapi.ResourceClaim{claim("x")}, []*resourceapi.ResourceClaim{claim("x")}, 0, "has none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := manager(t, test.claims...)
			var err error
			for _, c := range test.signals {
				err = m.ResourceClaims().SignalClaimPendingAllocation(c.UID, c)
			}
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Fatalf("got error %v, want %q", err, test.err)
			}
			uid := test.signals[0].UID
			if got := m.pending[uid].sharers; got != test.want {
				t.Errorf("%d sharers, want %d", got, test.want)
			}
			allocation := m.ResourceClaims().GetPendingAllocation(uid)
			if (allocation != nil) != (test.want > 0) || allocation != nil && allocation.Devices.Results[0].Device != "a" {
				t.Errorf("pending is %v", allocation)
			}
		})
	}
}

func TestRemovePending(t *testing.T) {
	for _, test := range []struct {
		name    string
		sharers int
		force   bool
		want    bool
		left    int
	}{
		{"none", 0, false, false, 0},
		{"none, forced", 0, true, false, 0},
		{"the last sharer", 1, false, true, 0},
		{"one of three", 3, false, false, 2},
		{"all of three", 3, true, true, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, c := manager(t, claim("x")), claim("x", "a")
			for range test.sharers {
				if err := m.ResourceClaims().SignalClaimPendingAllocation(c.UID, c); err != nil {
					t.Fatal(err)
				}
			}
			if got := m.ResourceClaims().MaybeRemoveClaimPendingAllocation(c.UID, test.force); got != test.want {
				t.Errorf("removed: %v, want %v", got, test.want)
			}
			if got := m.pending[c.UID].sharers; got != test.left {
				t.Errorf("%d sharers left, want %d", got, test.left)
			}
			inUse := m.State().Snapshot().Pool(inventory.PoolID{Driver: driver, Pool: "pool"}).Device("a").Whole
			if inUse != (test.left > 0) {
				t.Errorf("the device is in use: %v", inUse)
			}
		})
	}
}

func TestListsSeeSignals(t *testing.T) {
	shared := claim("shared", "b")
	shared.Status.Allocation.Devices.Results[0].ShareID = ptr.To(types.UID("share"))
	shared.Status.Allocation.Devices.Results[0].ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse("1Gi")}
	watching := claim("watching", "c")
	watching.Status.Allocation.Devices.Results[0].AdminAccess = ptr.To(true)
	m := manager(t, claim("x"), shared, watching)
	for _, c := range []*resourceapi.ResourceClaim{claim("x", "a"), special("p", "d")} {
		if err := m.ResourceClaims().SignalClaimPendingAllocation(c.UID, c); err != nil {
			t.Fatal(err)
		}
	}
	claims, err := m.ResourceClaims().List()
	if err != nil || len(claims) != 4 {
		t.Fatalf("got %d claims and error %v", len(claims), err)
	}
	known, err := m.ResourceClaims().Get("ns", "x")
	if err != nil || known.Status.Allocation == nil {
		t.Errorf("got %v and error %v, want the pending allocation", known, err)
	}
	devices, err := m.ResourceClaims().ListAllAllocatedDevices()
	var names []string
	for id := range devices {
		names = append(names, id.Device.String())
	}
	slices.Sort(names)
	if err != nil || strings.Join(names, "") != "abd" {
		t.Errorf("got %v and error %v, want a, b and d", names, err)
	}
	gathered, err := m.ResourceClaims().GatherAllocatedState()
	if err != nil || len(gathered.AllocatedDevices) != 2 || len(gathered.AllocatedSharedDeviceIDs) != 1 || len(gathered.AggregatedCapacity) != 1 {
		t.Errorf("got %+v and error %v", gathered, err)
	}
}

func TestAssume(t *testing.T) {
	m := manager(t, claim("x"))
	tracker := m.ResourceClaims()
	newer := claim("x", "a")
	newer.ResourceVersion = "3"
	if err := tracker.AssumeClaimAfterAPICall(newer); err != nil {
		t.Fatal(err)
	}
	older := claim("x")
	older.ResourceVersion = "2"
	if err := tracker.AssumeClaimAfterAPICall(older); err == nil || !strings.Contains(err.Error(), "older") {
		t.Errorf("an older version: %v", err)
	}
	if err := tracker.AssumeClaimAfterAPICall(claim("y")); err == nil {
		t.Error("a claim that is not known was assumed")
	}
	if got := describe(m); !strings.Contains(got, "x/uid-x a for 0\na in use: true") {
		t.Error(got)
	}
	tracker.AssumedClaimRestore("ns", "x")
	tracker.AssumedClaimRestore("ns", "x") // nothing to restore
	if got := describe(m); !strings.Contains(got, "x/uid-x for 0\na in use: false") {
		t.Error(got)
	}
}

func TestBindAndRelease(t *testing.T) {
	m := manager(t, claim("x"))
	if err := m.Bind(pod("p", "x")); err == nil || !strings.Contains(err.Error(), "call Reserve first") {
		t.Errorf("a claim without an allocation: %v", err)
	}
	if err := m.Bind(pod("p", "z")); err == nil || !strings.Contains(err.Error(), "there is no claim ns/z") {
		t.Errorf("a claim that is not there: %v", err)
	}
	before := describe(m)
	for _, c := range []*resourceapi.ResourceClaim{claim("x", "a"), special("p", "b")} {
		if err := m.ResourceClaims().SignalClaimPendingAllocation(c.UID, c); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Bind(pod("p", "x")); err != nil {
		t.Fatal(err)
	}
	if err := m.Bind(pod("q", "x")); err != nil {
		t.Fatal(err)
	}
	want := "p-extended-resources-special-p/special-p b for 1\nx/uid-x a for 2\na in use: true\nb in use: true\nc in use: false\n0 slices"
	if got := describe(m); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := m.Claims(pod("p")); len(got) != 2 {
		t.Errorf("%d claims for p, want 2", len(got))
	}
	m.Release(pod("p"))
	if got := describe(m); !strings.Contains(got, "x/uid-x a for 1\na in use: true\nb in use: false") || strings.Contains(got, "special") {
		t.Error(got)
	}
	m.Release(pod("q"))
	if got := describe(m); got != before {
		t.Errorf("got\n%s\nwant\n%s", got, before)
	}
}

// Revert undoes any changes since Fork.
func TestRevertUndoesEverything(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		m := manager(t, claim("x"), claim("y"), claim("z", "c"))
		var told []string
		for range 40 {
			switch r.IntN(6) {
			case 0:
				told = append(told, describe(m))
				m.Fork()
			case 1:
				if len(told) > 0 {
					m.Revert()
					if got, want := describe(m), told[len(told)-1]; got != want {
						t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, got, want)
					}
					told = told[:len(told)-1]
				}
			case 2:
				if len(told) > 1 {
					m.Commit()
					told = told[:len(told)-1]
				}
			default:
				change(m, r)
			}
		}
	}
}

// change does something random; occasional errors are fine.
func change(m *Manager, r *rand.Rand) {
	name, device := []string{"x", "y", "z"}[r.IntN(3)], []string{"a", "b", "c"}[r.IntN(3)]
	who := pod(fmt.Sprint("p", r.IntN(2)), name)
	c := claim(name, device)
	c.ResourceVersion = fmt.Sprint(1 + r.IntN(5))
	switch r.IntN(9) {
	case 0, 1, 2:
		_ = m.ResourceClaims().SignalClaimPendingAllocation(c.UID, c)
	case 3:
		s := special(who.Name, device)
		_ = m.ResourceClaims().SignalClaimPendingAllocation(s.UID, s)
	case 4:
		m.ResourceClaims().MaybeRemoveClaimPendingAllocation(c.UID, r.IntN(2) == 0)
	case 5:
		_ = m.ResourceClaims().AssumeClaimAfterAPICall(c)
	case 6:
		m.ResourceClaims().AssumedClaimRestore(c.Namespace, c.Name)
	case 7:
		if m.Bind(who) != nil {
			m.Release(who)
		}
	default:
		m.AddSlices(&resourceapi.ResourceSlice{})
	}
}
