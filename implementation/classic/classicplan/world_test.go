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
	"fmt"
	"math/rand/v2"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
)

// world is an API server with claims of a few names, a driver with one device on each of two nodes,
// and the driver's controller. The controller may crash at each write, which takes effect at once,
// later or never; its caches are stale.
type world struct {
	*testing.T
	*rand.Rand
	version int
	claims  map[string]*resourceapi.ResourceClaim
	records map[string]*v1alpha1.ClassicClaim
	// cachedClaims and cachedRecords are the controller's cache.
	cachedClaims  map[string]*resourceapi.ResourceClaim
	cachedRecords map[string]*v1alpha1.ClassicClaim
	// olderClaims are an older state of the cache.
	olderClaims map[string]*resourceapi.ResourceClaim
	selections  map[string][]classicSelection
	modes       map[string]v1alpha1.AllocationMode
	// held are the owners of devices by node.
	held map[string]types.UID
	late []func()
	// seen counts events, to check the test's coverage.
	seen map[string]int
}

type killed struct{}

func (w *world) next() string {
	w.version++
	return fmt.Sprint(w.version)
}

// storeClaim writes a claim unless the writer's version is stale.
func (w *world) storeClaim(c *resourceapi.ResourceClaim, status bool) bool {
	old := w.claims[c.Name]
	if old == nil || old.UID != c.UID || old.ResourceVersion != c.ResourceVersion {
		return false
	}
	stored := old.DeepCopy()
	if status {
		if old.Status.Allocation != nil && c.Status.Allocation != nil && old.Status.Allocation.Devices.Results[0].Pool != c.Status.Allocation.Devices.Results[0].Pool {
			w.Fatalf("%s: an allocation is replaced", c.Name)
		}
		if old.Status.Allocation != nil && c.Status.Allocation == nil && len(old.Status.ReservedFor) > 0 {
			w.Fatalf("%s: an allocation is cleared that is in use", c.Name)
		}
		stored.Status = *c.Status.DeepCopy()
	} else {
		stored.ObjectMeta = *c.ObjectMeta.DeepCopy()
	}
	stored.ResourceVersion = w.next()
	w.claims[c.Name] = stored
	if stored.DeletionTimestamp != nil && len(stored.Finalizers) == 0 {
		delete(w.claims, c.Name)
	}
	w.check()
	return true
}

func (w *world) storeRecord(r *v1alpha1.ClassicClaim) bool {
	old := w.records[r.Name]
	if old == nil || old.UID != r.UID || old.ResourceVersion != r.ResourceVersion {
		return false
	}
	stored := r.DeepCopy()
	stored.ResourceVersion = w.next()
	w.records[r.Name] = stored
	w.check()
	return true
}

func (w *world) check() {
	holders := make(map[types.UID]string)
	for node, uid := range w.held {
		if other := holders[uid]; other != "" {
			w.Fatalf("claim %s holds the devices of %s and %s", uid, node, other)
		}
		holders[uid] = node
		if !w.remembered(uid) {
			w.Fatalf("nothing tells that claim %s holds the device of %s", uid, node)
		}
	}
	for name, c := range w.claims {
		if c.Status.Allocation == nil {
			continue
		}
		node := c.Status.Allocation.Devices.Results[0].Pool
		if w.held[node] != c.UID {
			w.Fatalf("claim %s is allocated on %s, whose device is held by %q", name, node, w.held[node])
		}
		if len(c.Finalizers) == 0 {
			w.Fatalf("claim %s is allocated without a finalizer", name)
		}
	}
}

// remembered reports whether a record tracks the resource of a claim.
func (w *world) remembered(uid types.UID) bool {
	for _, r := range w.records {
		if r.Spec.ClaimUID == uid && len(r.Finalizers) > 0 {
			return true
		}
	}
	return false
}

// write executes a write of the controller, which may crash before or after it.
func (w *world) write(do func() bool) bool {
	switch w.IntN(25) {
	case 0:
		w.seen["killed before a write"]++
		w.late = append(w.late, func() {
			if do() {
				w.seen["a late write"]++
			}
		})
		panic(killed{})
	case 1:
		do()
		w.seen["killed after a write"]++
		panic(killed{})
	}
	return do()
}

// sync is one work item of the controller: steps until nothing is left, or a write is rejected.
func (w *world) sync(name string) {
	defer func() {
		if reason := recover(); reason != nil {
			if _, ok := reason.(killed); !ok {
				panic(reason)
			}
			w.late = append(w.late, func() {})
			w.cachedClaims = w.olderClaims // The next leader's cache may be older.
		}
	}()
	view := classicplan.ClaimView{
		Driver: driver, Claim: w.cachedClaims[name], Record: w.cachedRecords[name], Class: classOf(driver),
		Config: v1alpha1.ClaimConfig{AllocationMode: w.modes[name]}, Selections: w.selections[name],
	}
	live := false
	for range 12 {
		if c := w.claims[name]; view.Orphaned() && c != nil && c.UID == view.Record.Spec.ClaimUID {
			w.seen["an outdated cache"]++
			return
		}
		step := classicplan.PlanClaim(view)
		if _, idle := step.(classicplan.Nothing); idle {
			return
		}
		if !live && classicplan.NeedsLiveRecord(step) {
			// The record must be the current one.
			view.Record, live = w.records[name], true
			continue
		}
		w.seen[fmt.Sprintf("%T", step)]++
		if !w.do(name, step, &view, &live) {
			return
		}
	}
	w.Fatalf("%s: more than 12 steps", name)
}

// do executes a step and reports whether to continue.
func (w *world) do(name string, step classicplan.Step, view *classicplan.ClaimView, live *bool) bool {
	switch s := step.(type) {
	case classicplan.AddFinalizer:
		return w.updateClaim(view, s.Apply(view.Claim), false)
	case classicplan.RemoveFinalizer:
		return w.updateClaim(view, s.Apply(view.Claim), false)
	case classicplan.CreateRecord:
		created := s.Record.DeepCopy()
		created.UID, created.ResourceVersion = types.UID("record-"+w.next()), w.next()
		view.Record, *live = created, true
		return w.write(func() bool {
			if w.records[name] != nil {
				return false
			}
			w.records[name] = created
			return true
		})
	case classicplan.Abandon:
		return w.updateRecord(view, classicplan.Deallocating(s.Record))
	case classicplan.Revoke:
		if changed, status := s.Apply(view.Claim); changed != nil && !w.updateClaim(view, changed, status) {
			return false
		}
		return w.updateRecord(view, classicplan.Deallocating(s.Record))
	case classicplan.Deallocate:
		for node, uid := range w.held {
			if uid == s.Record.Spec.ClaimUID {
				delete(w.held, node)
			}
		}
		w.check()
		if !w.updateRecord(view, classicplan.Released(s.Record)) {
			return false
		}
		view.Record = nil
		return w.write(func() bool { // with the UID as precondition
			if r := w.records[name]; r != nil && r.UID == s.Record.UID {
				delete(w.records, name)
			}
			return true
		})
	case classicplan.Allocate:
		return w.allocate(s, view)
	}
	w.Fatalf("unknown step %T", step)
	return false
}

func (w *world) updateClaim(view *classicplan.ClaimView, c *resourceapi.ResourceClaim, status bool) bool {
	if !w.write(func() bool { return w.storeClaim(c, status) }) {
		return false
	}
	view.Claim = w.claims[c.Name]
	return view.Claim != nil
}

func (w *world) updateRecord(view *classicplan.ClaimView, r *v1alpha1.ClassicClaim) bool {
	if !w.write(func() bool { return w.storeRecord(r) }) {
		return false
	}
	view.Record = w.records[r.Name]
	return true
}

func (w *world) allocate(s classicplan.Allocate, view *classicplan.ClaimView) bool {
	node, uid := s.Node, view.Claim.UID
	for n, holder := range w.held {
		if holder == uid {
			if s.Node != "" && s.Node != n {
				w.Fatalf("claim %s holds the device of %s and is to get that of %s", uid, n, s.Node)
			}
			node = n // As before.
		}
	}
	for _, n := range []string{"a", "b"} {
		if node == "" && w.held[n] == "" {
			node = n
		}
	}
	if node == "" || w.held[node] != "" && w.held[node] != uid {
		w.seen["no device"]++
		return false
	}
	w.held[node] = uid
	w.check()
	r := view.Record.DeepCopy()
	r.Status = v1alpha1.ClassicClaimStatus{Phase: v1alpha1.Allocated, ResourceHandle: node, UserLimit: 1}
	if !w.updateRecord(view, r) {
		return false
	}
	c := view.Claim.DeepCopy()
	c.Status.Allocation = &resourceapi.AllocationResult{}
	c.Status.Allocation.Devices.Results = []resourceapi.DeviceRequestAllocationResult{{Request: "r", Driver: driver, Pool: node, Device: "d"}}
	if s.Consumer != nil {
		c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{*s.Consumer}
	}
	return w.updateClaim(view, c, true)
}

func newWorld(t *testing.T, seed uint64) *world {
	return &world{
		T: t, Rand: rand.New(rand.NewPCG(seed, 1)),
		claims: map[string]*resourceapi.ResourceClaim{}, records: map[string]*v1alpha1.ClassicClaim{},
		cachedClaims: map[string]*resourceapi.ResourceClaim{}, cachedRecords: map[string]*v1alpha1.ClassicClaim{},
		selections: map[string][]classicSelection{}, modes: map[string]v1alpha1.AllocationMode{},
		held: map[string]types.UID{}, seen: map[string]int{},
	}
}

// create makes a claim of a name, with a mode.
func (w *world) create(name string) {
	c := claim()
	c.Name, c.UID, c.ResourceVersion = name, types.UID(name+"-"+w.next()), w.next()
	w.claims[name] = c
	w.modes[name] = v1alpha1.WaitForFirstConsumer
	if w.IntN(3) == 0 {
		w.modes[name] = v1alpha1.Immediate
	}
}

func (w *world) delete(name string) {
	c := w.claims[name].DeepCopy()
	c.DeletionTimestamp = &metav1.Time{}
	w.storeClaim(c, false)
}
