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

package fabricplan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
)

// PoolsView is the input of PlanPools.
type PoolsView struct {
	Config
	Inventory Inventory
	Claims    []*resourceapi.ResourceClaim
	// Slices are all slices of the driver.
	Slices []*resourceapi.ResourceSlice
}

// PlanPools plans slice changes to give each model a pool with one slot per free device. A slot
// leaves the pool when its device is attached, not while waiting for it. Correct pools need no
// action.
func PlanPools(view PoolsView) []Action {
	var actions []Action
	held := sets.New[string]()
	for _, d := range view.Inventory.Devices {
		held.Insert(d.Key)
	}
	published := view.published()
	for _, model := range slices.SortedFunc(slices.Values(view.Inventory.Models), func(a, b Model) int { return cmp.Compare(a.Name, b.Name) }) {
		if texts := validation.IsDNS1123Label(model.Name); len(texts) > 0 {
			actions = append(actions, Fail{Err: fmt.Errorf("publish model %q: its name cannot be that of a pool: %s", model.Name, strings.Join(texts, "; "))})
			continue
		}
		pool := view.Pool(model.Name)
		actions = append(actions, view.pool(model, published[pool], held)...)
		delete(published, pool)
	}
	for _, pool := range slices.Sorted(maps.Keys(published)) {
		for _, slice := range published[pool] {
			actions = append(actions, DeleteSlice{Name: slice.Name, UID: slice.UID})
		}
	}
	return actions
}

// published are the fabric's slices by pool, sorted by name.
func (v PoolsView) published() map[string][]*resourceapi.ResourceSlice {
	pools := map[string][]*resourceapi.ResourceSlice{}
	for _, slice := range sortedByName(v.Slices) {
		if slice.Spec.Driver == v.Driver && slice.Labels[FabricLabel] == v.Fabric {
			pools[slice.Spec.Pool.Name] = append(pools[slice.Spec.Pool.Name], slice)
		}
	}
	return pools
}

// pool plans for the pool of a model.
func (v PoolsView) pool(model Model, published []*resourceapi.ResourceSlice, held sets.Set[string]) []Action {
	slots := v.slots(model, published, held)
	var generation int64
	old := map[string]*resourceapi.ResourceSlice{}
	for _, slice := range published {
		generation = max(generation, slice.Spec.Pool.Generation)
		old[slice.Name] = slice
	}
	next := v.slices(model, slots, generation)
	if len(published) == len(next) && !slices.ContainsFunc(next, func(s *resourceapi.ResourceSlice) bool {
		return old[s.Name] == nil || !equality.Semantic.DeepEqual(old[s.Name].Spec, s.Spec)
	}) {
		return nil
	}
	var actions []Action
	// All slices of a pool share its generation, incremented by each change.
	for _, slice := range v.slices(model, slots, generation+1) {
		if before := old[slice.Name]; before != nil {
			after := before.DeepCopy()
			after.Spec = slice.Spec
			actions = append(actions, UpdateSlice{after})
			delete(old, slice.Name)
			continue
		}
		actions = append(actions, CreateSlice{slice})
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		actions = append(actions, DeleteSlice{Name: name, UID: old[name].UID})
	}
	return actions
}

// slots are the slot numbers for a model, sorted: first those of waiting claims, then published
// ones.
func (v PoolsView) slots(model Model, published []*resourceapi.ResourceSlice, held sets.Set[string]) []int {
	pool := v.Pool(model.Name)
	gone, waiting := sets.New[int](), sets.New[int]()
	for _, claim := range v.Claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for i := range claim.Status.Allocation.Devices.Results {
			result := &claim.Status.Allocation.Devices.Results[i]
			n, ok := slotNumber(result.Device)
			switch {
			case !ok || result.Driver != v.Driver || result.Pool != pool:
			case held.Has(KeyOf(claim, result)):
				gone.Insert(n)
			default:
				waiting.Insert(n)
			}
		}
	}
	kept := sets.New[int]()
	for _, slice := range published {
		for _, device := range slice.Spec.Devices {
			if n, ok := slotNumber(device.Name); ok {
				kept.Insert(n)
			}
		}
	}
	chosen := sets.New[int]()
	choose := func(n int) {
		if chosen.Len() < model.Free && !gone.Has(n) {
			chosen.Insert(n)
		}
	}
	for _, from := range []sets.Set[int]{waiting, kept} {
		for _, n := range sets.List(from) {
			choose(n)
		}
	}
	for n := 0; chosen.Len() < model.Free; n++ {
		choose(n)
	}
	return sets.List(chosen)
}

// slotPrefix is the prefix of slot names, which have no further meaning.
const slotPrefix = "free-"

func slotNumber(device string) (int, bool) {
	text, ok := strings.CutPrefix(device, slotPrefix)
	n, err := strconv.Atoi(text)
	return n, ok && err == nil && n >= 0
}

// slices are a pool's slices for these slots. A slot always goes into the same slice, so it is
// never in two.
func (v PoolsView) slices(model Model, slots []int, generation int64) []*resourceapi.ResourceSlice {
	count := 1
	if len(slots) > 0 {
		count = slots[len(slots)-1]/resourceapi.ResourceSliceMaxDevices + 1
	}
	all := make([]*resourceapi.ResourceSlice, count)
	for i := range all {
		all[i] = &resourceapi.ResourceSlice{
			ObjectMeta: metav1.ObjectMeta{
				Name:   fmt.Sprintf("%s-%s-%s-%d", v.Fabric, model.Name, v.Driver, i),
				Labels: map[string]string{FabricLabel: v.Fabric},
			},
			Spec: resourceapi.ResourceSliceSpec{
				Driver:       v.Driver,
				Pool:         resourceapi.ResourcePool{Name: v.Pool(model.Name), Generation: generation, ResourceSliceCount: int64(count)},
				NodeSelector: v.Nodes,
			},
		}
		if v.Nodes == nil {
			all[i].Spec.AllNodes = new(true)
		}
	}
	for _, n := range slots {
		spec := &all[n/resourceapi.ResourceSliceMaxDevices].Spec
		spec.Devices = append(spec.Devices, v.slotOf(model, n))
	}
	return all
}

// slotOf is a slot's device in a slice.
func (v PoolsView) slotOf(model Model, n int) resourceapi.Device {
	device := resourceapi.Device{
		Name:                     slotPrefix + strconv.Itoa(n),
		Attributes:               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{ModelAttribute: {StringValue: new(model.Name)}},
		BindsToNode:              new(true),
		BindingConditions:        []string{Attached},
		BindingFailureConditions: []string{AttachFailed},
	}
	for name, value := range model.Attributes {
		device.Attributes[resourceapi.QualifiedName(name)] = resourceapi.DeviceAttribute{StringValue: new(value)}
	}
	if v.BindingTimeout > 0 {
		device.Attributes[TimeoutAttribute] = resourceapi.DeviceAttribute{StringValue: new(v.BindingTimeout.String())}
	}
	if v.Reschedule {
		device.BindingFailureConditions = append(device.BindingFailureConditions, AttachedAsLocal)
	}
	return device
}
