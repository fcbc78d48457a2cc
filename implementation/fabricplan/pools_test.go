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
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/implementation/fabricplan"
)

// refresh applies the plan for pools and returns the resulting slots.
func (c *cluster) refresh(free int, held []fabricplan.Device, claims ...*resourceapi.ResourceClaim) []int {
	c.do(fabricplan.PlanPools(fabricplan.PoolsView{Config: config(true), Claims: claims, Slices: c.slices, Inventory: fabricplan.Inventory{
		Models:  []fabricplan.Model{{Name: "a100", Free: free, Attributes: map[string]string{"vendor": "example"}}},
		Devices: held,
	}}))
	return c.slots()
}

func TestPoolFollowsTheFabric(t *testing.T) {
	c := &cluster{}
	first, second := waiting("first", start(), true, "free-1"), waiting("second", start(), true, "free-2")
	heldFor := func(claims ...*resourceapi.ResourceClaim) []fabricplan.Device {
		var held []fabricplan.Device
		for _, claim := range claims {
			held = append(held, fabricplan.Device{ID: "a100-0", Key: keyOf(claim, 0), Phase: fabricplan.DeviceAttached})
		}
		return held
	}
	for _, tc := range []struct {
		name   string
		free   int
		held   []fabricplan.Device
		claims []*resourceapi.ResourceClaim
		want   []int
		writes int
	}{
		{"new", 4, nil, nil, []int{0, 1, 2, 3}, 1},
		{"nothing happened", 4, nil, nil, []int{0, 1, 2, 3}, 0},
		{"allocated, not attached yet", 4, nil, []*resourceapi.ResourceClaim{first}, []int{0, 1, 2, 3}, 0},
		{"attached", 3, heldFor(first), []*resourceapi.ResourceClaim{first}, []int{0, 2, 3}, 1},
		{"another is waiting", 2, heldFor(first), []*resourceapi.ResourceClaim{first, second}, []int{0, 2}, 1},
		{"taken by another cluster", 1, heldFor(first), []*resourceapi.ResourceClaim{first, second}, []int{2}, 1},
		{"abandoned, attached as local", 1, heldFor(first, second), nil, []int{2}, 0},
		{"all are used", 0, heldFor(first, second), nil, nil, 1},
		{"all are detached", 4, nil, nil, []int{0, 1, 2, 3}, 1},
	} {
		if got := c.refresh(tc.free, tc.held, tc.claims...); !slices.Equal(got, tc.want) || c.writes != tc.writes {
			t.Fatalf("%s: slots %v with %d writes, want %v with %d", tc.name, got, c.writes, tc.want, tc.writes)
		}
	}
	if pool := c.slices[0].Spec.Pool; len(c.slices) != 1 || pool.Generation != 6 || pool.ResourceSliceCount != 1 {
		t.Errorf("pool %v", pool)
	}
}

func TestSlot(t *testing.T) {
	c := &cluster{}
	c.refresh(1, nil)
	want := resourceapi.Device{
		Name: "free-0", BindsToNode: new(true),
		Attributes:        map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"model": {StringValue: new("a100")}, "vendor": {StringValue: new("example")}},
		BindingConditions: []string{fabricplan.Attached}, BindingFailureConditions: []string{fabricplan.AttachFailed, fabricplan.AttachedAsLocal},
	}
	if diff := cmp.Diff(want, c.slices[0].Spec.Devices[0]); diff != "" {
		t.Error(diff)
	}
}

// All slices of a pool have the same generation and slice count.
func TestPoolOfSeveralSlices(t *testing.T) {
	c := &cluster{}
	for i, free := range []int{300, 256, 3, 129} {
		if got := c.refresh(free, nil); len(got) != free {
			t.Fatalf("%d slots, want %d", len(got), free)
		}
		want := (free + 127) / 128
		for _, slice := range c.slices {
			if p := slice.Spec.Pool; len(c.slices) != want || p.ResourceSliceCount != int64(want) || p.Generation != int64(i+1) {
				t.Fatalf("%d slices, %v", len(c.slices), p)
			}
			if len(slice.Spec.Devices) > resourceapi.ResourceSliceMaxDevices {
				t.Fatalf("%d devices in a slice", len(slice.Spec.Devices))
			}
		}
		if c.refresh(free, nil); c.writes > 0 {
			t.Fatalf("%d writes for nothing", c.writes)
		}
	}
}

// 1000 devices of 10 models: no writes without changes, and at most one slice for each changed
// pool.
func TestOneWriteForAChangedPool(t *testing.T) {
	c := &cluster{}
	inventory := fabricplan.Inventory{}
	for i := range 10 {
		inventory.Models = append(inventory.Models, fabricplan.Model{Name: fmt.Sprintf("model-%d", i), Free: 100})
	}
	refresh := func() int {
		c.do(fabricplan.PlanPools(fabricplan.PoolsView{Config: config(true), Slices: c.slices, Inventory: inventory}))
		return c.writes
	}
	for _, tc := range []struct{ changed, writes int }{{0, 10}, {0, 0}, {1, 1}, {3, 3}, {10, 10}, {0, 0}} {
		for i := range tc.changed {
			inventory.Models[i].Free -= 7
		}
		if got := refresh(); got != tc.writes {
			t.Errorf("%d pools have changed: %d writes, want %d", tc.changed, got, tc.writes)
		}
	}
}

func TestModelsThatComeAndGo(t *testing.T) {
	plan := func(c *cluster, models ...fabricplan.Model) []fabricplan.Action {
		return fabricplan.PlanPools(fabricplan.PoolsView{Config: config(false), Slices: append(slices.Clone(c.slices), local("a100-0")), Inventory: fabricplan.Inventory{Models: models}})
	}
	c := &cluster{}
	c.do(plan(c, fabricplan.Model{Name: "a100", Free: 1}, fabricplan.Model{Name: "h100"}))
	if len(c.slices) != 2 {
		t.Fatalf("%d slices", len(c.slices))
	}
	if actions := plan(c, fabricplan.Model{Name: "h100"}); len(actions) != 1 {
		t.Errorf("planned %v", actions)
	} else if d, ok := actions[0].(fabricplan.DeleteSlice); !ok || d.Name != "fabric-a100-gpu.example.com-0" {
		t.Errorf("planned %v", actions)
	}
	if actions := plan(&cluster{}, fabricplan.Model{Name: "NVIDIA A100", Free: 1}); len(actions) != 1 {
		t.Errorf("planned %v", actions)
	} else if _, ok := actions[0].(fabricplan.Fail); !ok {
		t.Errorf("planned %v", actions)
	}
}

func TestTimeoutIsPublished(t *testing.T) {
	v := fabricplan.PoolsView{Config: config(false), Inventory: fabricplan.Inventory{Models: []fabricplan.Model{{Name: "a100", Free: 1}}}}
	v.BindingTimeout = 90 * time.Second
	device := fabricplan.PlanPools(v)[0].(fabricplan.CreateSlice).Slice.Spec.Devices[0]
	if got := *device.Attributes[fabricplan.TimeoutAttribute].StringValue; got != "1m30s" {
		t.Errorf("timeout %q", got)
	}
}
