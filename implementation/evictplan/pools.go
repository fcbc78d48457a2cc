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

package evictplan

import (
	"maps"
	"math"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// PoolID names a pool of devices.
type PoolID struct{ Driver, Pool string }

// DeviceID names a device.
type DeviceID struct{ Driver, Pool, Device string }

// Pools has the NoExecute taints of devices in ResourceSlices. The zero value is empty. It is not
// safe for concurrent use.
type Pools struct {
	pools map[PoolID]map[string]taintedSlice
}

// taintedSlice is the relevant part of a slice. Slices without taints count, too, because only a
// pool's newest generation is valid.
type taintedSlice struct {
	generation int64
	taints     map[string][]resourceapi.DeviceTaint
}

// Set replaces an old version of a slice; either may be nil. It returns the devices with changed
// taints, sorted.
func (p *Pools) Set(old, updated *resourceapi.ResourceSlice) []DeviceID {
	if old != nil && updated != nil && poolOf(old) != poolOf(updated) {
		return append(p.Set(old, nil), p.Set(nil, updated)...)
	}
	slice := updated
	if slice == nil {
		slice = old
	}
	id := poolOf(slice)
	before := p.tainted(id)
	if updated != nil {
		p.put(id, updated)
	} else {
		p.remove(id, old)
	}
	return changed(id, before, p.tainted(id))
}

func (p *Pools) put(id PoolID, slice *resourceapi.ResourceSlice) {
	if p.pools == nil {
		p.pools = make(map[PoolID]map[string]taintedSlice)
	}
	if p.pools[id] == nil {
		p.pools[id] = make(map[string]taintedSlice)
	}
	p.pools[id][slice.Name] = taintedSlice{slice.Spec.Pool.Generation, noExecute(slice)}
}

func (p *Pools) remove(id PoolID, slice *resourceapi.ResourceSlice) {
	delete(p.pools[id], slice.Name)
	if len(p.pools[id]) == 0 {
		delete(p.pools, id)
	}
}

func (p *Pools) tainted(id PoolID) map[string][]resourceapi.DeviceTaint {
	tainted := make(map[string][]resourceapi.DeviceTaint)
	for _, taints := range p.current(id) {
		for device := range taints {
			tainted[device] = append(tainted[device], taints[device]...)
		}
	}
	return tainted
}

func (p *Pools) of(device DeviceID) []resourceapi.DeviceTaint {
	var all []resourceapi.DeviceTaint
	for _, taints := range p.current(PoolID{device.Driver, device.Pool}) {
		all = append(all, taints[device.Device]...)
	}
	return all
}

// current are the taints by device in the newest generation of a pool's slices, sorted by slice
// name.
func (p *Pools) current(id PoolID) []map[string][]resourceapi.DeviceTaint {
	if p == nil {
		return nil
	}
	pool := p.pools[id]
	var current []map[string][]resourceapi.DeviceTaint
	newest := int64(math.MinInt64)
	for _, slice := range pool {
		newest = max(newest, slice.generation)
	}
	for _, name := range slices.Sorted(maps.Keys(pool)) {
		if slice := pool[name]; slice.generation == newest && len(slice.taints) > 0 {
			current = append(current, slice.taints)
		}
	}
	return current
}

func changed(id PoolID, before, after map[string][]resourceapi.DeviceTaint) []DeviceID {
	names := slices.Collect(maps.Keys(before))
	names = slices.AppendSeq(names, maps.Keys(after))
	slices.Sort(names)
	var ids []DeviceID
	for _, name := range slices.Compact(names) {
		if !equality.Semantic.DeepEqual(before[name], after[name]) {
			ids = append(ids, DeviceID{id.Driver, id.Pool, name})
		}
	}
	return ids
}

func noExecute(slice *resourceapi.ResourceSlice) map[string][]resourceapi.DeviceTaint {
	all := make(map[string][]resourceapi.DeviceTaint)
	for _, device := range slice.Spec.Devices {
		for _, taint := range device.Taints {
			if taint.Effect == resourceapi.DeviceTaintEffectNoExecute {
				all[device.Name] = append(all[device.Name], taint)
			}
		}
	}
	return all
}

func poolOf(slice *resourceapi.ResourceSlice) PoolID {
	return PoolID{slice.Spec.Driver, slice.Spec.Pool.Name}
}
