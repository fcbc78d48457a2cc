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

package fabricplan_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/fabricplan"
	"github.com/dra-conformance/dratest/implementation/fabricplan/fabrictest"
)

const (
	modelSeeds = 100
	modelSteps = 250
	modelSize  = 6
)

// TestRandomWorlds runs users, a scheduler, a driver, another cluster and a frequently crashing
// controller in random order, and checks the invariants after each step. At the end all devices are
// unused and must be detached.
func TestRandomWorlds(t *testing.T) {
	for seed := range uint64(modelSeeds) {
		synctest.Test(t, func(t *testing.T) {
			w := &modelWorld{T: t, rand: rand.New(rand.NewPCG(seed, 1)), fabric: fabrictest.New("a100", modelSize), had: map[string]sets.Set[string]{}, reschedule: seed%2 == 0}
			for range modelSteps {
				w.step()
				w.check(seed)
			}
			w.fabric.Fail, w.claims = "", nil
			for range 20 {
				time.Sleep(30 * time.Second)
				w.rescan()
				w.crash = 0
				w.control()
				w.check(seed)
			}
			if inventory, _ := w.fabric.Inventory(t.Context()); len(inventory.Devices) > 0 || len(w.cluster.rules) > 0 {
				t.Errorf("seed %d: left are %v and %d rules", seed, inventory.Devices, len(w.cluster.rules))
			}
			if attached, _ := w.fabric.Count(); attached == 0 {
				t.Errorf("seed %d: nothing was ever attached", seed)
			}
		})
	}
}

// modelWorld is a cluster with one node.
type modelWorld struct {
	*testing.T
	rand       *rand.Rand
	fabric     *fabrictest.Fabric
	reschedule bool
	cluster    cluster
	// published are the local devices last seen by the driver.
	published []string
	claims    []*resourceapi.ResourceClaim
	// had are all devices ever attached for a slot of a claim. Claims are allocated once here:
	// whatever the controller's keys are, there may be only one device.
	had  map[string]sets.Set[string]
	idle map[string]time.Time
	next int
	// crash is the number of actions before the controller crashes; 0 is never.
	crash int
}

func (w *modelWorld) step() {
	time.Sleep(time.Duration(w.rand.IntN(2000)+1) * time.Millisecond)
	switch n := w.rand.IntN(20); {
	case n < 5:
		w.schedule()
	case n < 7 && len(w.claims) > 0: // a user deletes a claim in any state
		i := w.rand.IntN(len(w.claims))
		w.claims = slices.Delete(w.claims, i, i+1)
	case n < 9:
		w.look()
	case n < 11:
		w.rescan()
	case n == 11:
		w.fabric.Takes, w.fabric.Fail = time.Duration(w.rand.IntN(5))*time.Second, ""
		if w.rand.IntN(3) == 0 {
			w.fabric.Fail = "cable"
		}
	case n == 12:
		w.idle = nil // a new controller
	case n == 13:
		time.Sleep(time.Minute)
		w.rescan()
	default:
		w.crash = w.rand.IntN(4)
		w.control()
	}
}

// schedule allocates for a new claim: a local device first, then a slot.
func (w *modelWorld) schedule() {
	used := map[string]bool{}
	for _, claim := range w.claims {
		used[claim.Status.Allocation.Devices.Results[0].Device] = true
	}
	w.next++
	name := fmt.Sprintf("claim-%d", w.next)
	for _, device := range w.published {
		tainted := slices.ContainsFunc(w.cluster.rules, func(r *resourceapi.DeviceTaintRule) bool { return *r.Spec.DeviceSelector.Device == device })
		if !used[device] && !tainted && w.reschedule {
			w.claims = append(w.claims, allocated(name, time.Now(), node, device))
			return
		}
	}
	for _, n := range w.cluster.slots() {
		if slot := fmt.Sprintf("free-%d", n); !used[slot] {
			w.claims = append(w.claims, waiting(name, time.Now(), w.reschedule, slot))
			return
		}
	}
}

// look is the scheduler checking waiting claims.
func (w *modelWorld) look() {
	w.claims = slices.DeleteFunc(w.claims, func(claim *resourceapi.ResourceClaim) bool {
		return len(claim.Status.Devices) > 0 && (meta.IsStatusConditionTrue(claim.Status.Devices[0].Conditions, fabricplan.AttachFailed) ||
			meta.IsStatusConditionTrue(claim.Status.Devices[0].Conditions, fabricplan.AttachedAsLocal))
	})
}

// rescan is the driver updating its devices.
func (w *modelWorld) rescan() {
	inventory, err := w.fabric.Inventory(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	w.published = nil
	for _, d := range inventory.Devices {
		if d.Phase == fabricplan.DeviceAttached {
			w.published = append(w.published, d.ID)
		}
	}
}

// control is a full sync of the controller.
func (w *modelWorld) control() {
	done := 0
	killed := func() bool { done++; return w.crash > 0 && done >= w.crash }
	for i := range w.claims {
		if w.controlClaim(i, killed) {
			return
		}
	}
	inventory, err := w.fabric.Inventory(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	w.cluster.now = time.Now()
	c := config(w.reschedule)
	w.cluster.do(fabricplan.PlanPools(fabricplan.PoolsView{Config: c, Inventory: inventory, Claims: w.claims, Slices: w.cluster.slices}))
	view := fabricplan.DetachView{Config: c, Inventory: inventory, Claims: w.claims, Rules: w.cluster.rules, Idle: w.idle, Now: time.Now(),
		Slices: append(slices.Clone(w.cluster.slices), local(w.published...))}
	actions, idle := fabricplan.PlanDetach(view)
	w.idle = idle
	if kinds(actions) == "verify" {
		view.Live = true
		actions, _ = fabricplan.PlanDetach(view)
	}
	for _, action := range actions {
		if killed() {
			return
		}
		if detach, ok := action.(fabricplan.Detach); ok {
			if err := w.fabric.Detach(w.Context(), detach); err != nil {
				w.Errorf("detach %v: %v", detach, err)
			}
		}
	}
	w.cluster.do(actions)
}

// controlClaim syncs one claim, and reports whether the controller crashed.
func (w *modelWorld) controlClaim(i int, killed func() bool) bool {
	v := view(w.claims[i])
	v.Config, v.Now = config(w.reschedule), time.Now()
	v.Published = func(_, device string) bool { return slices.Contains(w.published, device) }
	for {
		asked := false
		for _, action := range fabricplan.PlanClaim(v) {
			if killed() {
				return true
			}
			switch action := action.(type) {
			case fabricplan.Attach:
				answer, err := w.fabric.Attach(context.Background(), action)
				if err != nil {
					w.Fatal(err)
				}
				v.Answers[action.Key], asked = answer, true
				if answer.Task.Device != "" {
					slot := w.claims[i].Name + "/" + w.claims[i].Status.Allocation.Devices.Results[0].Device
					w.had[slot] = w.had[slot].Union(sets.New(answer.Task.Device))
				}
			case fabricplan.WriteStatus:
				w.claims[i] = action.Apply(w.claims[i])
			}
		}
		if !asked {
			return false
		}
	}
}

func (w *modelWorld) check(seed uint64) {
	for slot, devices := range w.had {
		if len(devices) > 1 {
			w.Fatalf("seed %d: for one allocation, %s, were attached %v", seed, slot, sets.List(devices))
		}
	}
	users := map[string]int{}
	for _, claim := range w.claims {
		result := &claim.Status.Allocation.Devices.Results[0]
		if result.Pool == node {
			users[result.Device]++
			// The driver's last scan is at most this old; until then, staleness is acceptable.
			if d := w.fabric.Device(result.Device); d.Phase != fabricplan.DeviceAttached {
				w.Fatalf("seed %d: claim %s has device %s, which is %q", seed, claim.Name, result.Device, d.Phase)
			}
			continue
		}
		if conditions, _ := trueConditions(claim, result.Device); slices.Contains(conditions, fabricplan.Attached) {
			id := deviceOf(w.T, claim)
			users[id]++
			if d := w.fabric.Device(id); d.Phase != fabricplan.DeviceAttached || d.Key != fabricplan.KeyOf(claim, result) {
				w.Fatalf("seed %d: claim %s is bound with device %s, which is %q of %s", seed, claim.Name, id, d.Phase, d.Key)
			}
		}
	}
	for id, n := range users {
		if n > 1 {
			w.Fatalf("seed %d: device %s has %d users", seed, id, n)
		}
	}
}
