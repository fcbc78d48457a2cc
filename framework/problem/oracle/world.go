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

package oracle

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
)

type poolID struct{ driver, name string }

type deviceID struct{ driver, pool, name string }

func idOf(r *resourceapi.DeviceRequestAllocationResult) deviceID {
	return deviceID{r.Driver, r.Pool, r.Device}
}

func (d deviceID) String() string { return d.driver + "/" + d.pool + "/" + d.name }

func (d deviceID) poolID() poolID { return poolID{d.driver, d.pool} }

// pool is the content of the slices with the highest generation.
type pool struct {
	generation int64
	slices     []*resourceapi.ResourceSliceSpec
	devices    []*device
	counters   map[string]map[string]resourceapi.Counter
	// usable is open if the slices disagree about their count, select no nodes, or have
	// compatibility groups (a feature disabled by default).
	usable answer
	// broken is the promise forbidding allocations from the pool.
	broken promise
}

// device is a published device. Devices with the same name in a broken pool are separate.
type device struct {
	*resourceapi.Device
	id   deviceID
	from *resourceapi.ResourceSliceSpec
	pool *pool
	// shared reports whether it can be allocated several times.
	shared bool
	// twice reports whether the pool has another device with this name.
	twice bool
	// capacity is by local name, without the driver's domain.
	capacity map[string]resourceapi.DeviceCapacity
}

// world is the outcome, indexed for the rules.
type world struct {
	p       *problem.Problem
	off     map[string]bool
	pools   map[poolID]*pool
	devices map[deviceID]*device
	classes map[string]*resourceapi.DeviceClass
	// all has every published device, in slice order.
	all     []*device
	results map[evaluation]answer
}

func newWorld(p *problem.Problem) *world {
	w := &world{
		p: p, off: map[string]bool{}, pools: map[poolID]*pool{}, devices: map[deviceID]*device{},
		classes: map[string]*resourceapi.DeviceClass{}, results: map[evaluation]answer{},
	}
	for _, name := range p.Off {
		w.off[name] = true
	}
	for i := range p.Classes {
		w.classes[p.Classes[i].Name] = &p.Classes[i]
	}
	for i := range p.Slices {
		w.publish(&p.Slices[i].Spec)
	}
	for _, pool := range w.pools {
		w.examine(pool)
	}
	for i := range p.Slices {
		spec := &p.Slices[i].Spec
		if pool := w.pools[poolID{spec.Driver, spec.Pool.Name}]; pool.generation == spec.Pool.Generation {
			w.addDevices(pool, spec)
		}
	}
	return w
}

func (w *world) publish(spec *resourceapi.ResourceSliceSpec) {
	id := poolID{spec.Driver, spec.Pool.Name}
	known := w.pools[id]
	if known == nil || known.generation < spec.Pool.Generation {
		known = &pool{generation: spec.Pool.Generation}
		w.pools[id] = known
	}
	if known.generation == spec.Pool.Generation {
		known.slices = append(known.slices, spec)
	}
}

// examine determines whether a pool is complete and valid (KEP-4815, Validation moved from
// admission to runtime).
func (w *world) examine(p *pool) {
	p.usable = yes
	count := p.slices[0].Pool.ResourceSliceCount
	agree := !slices.ContainsFunc(p.slices, func(s *resourceapi.ResourceSliceSpec) bool { return s.Pool.ResourceSliceCount != count })
	switch published := int64(len(p.slices)); {
	case !agree, published > count, slices.ContainsFunc(p.slices, hasGroups), slices.ContainsFunc(p.slices, nowhere):
		p.usable = open
	case published < count:
		p.usable, p.broken = no, completePool
		return
	}
	refuse := func(why promise) {
		if p.usable == yes {
			p.usable, p.broken = no, why
		}
	}
	names := map[string]bool{}
	p.counters = map[string]map[string]resourceapi.Counter{}
	for _, s := range p.slices {
		for d := range s.Devices {
			if names[s.Devices[d].Name] {
				refuse(uniqueDevices)
			}
			names[s.Devices[d].Name] = true
		}
		for _, set := range s.SharedCounters {
			if p.counters[set.Name] != nil {
				refuse(existingCounters)
			}
			p.counters[set.Name] = set.Counters
		}
	}
	for _, s := range p.slices {
		for d := range s.Devices {
			if !p.hasCounters(&s.Devices[d]) {
				refuse(existingCounters)
			}
		}
	}
}

// nowhere reports whether a slice selects no nodes, which is invalid.
func nowhere(s *resourceapi.ResourceSliceSpec) bool {
	return s.NodeName == nil && s.NodeSelector == nil && s.AllNodes == nil && !ptr.Deref(s.PerDeviceNodeSelection, false)
}

func hasGroups(s *resourceapi.ResourceSliceSpec) bool {
	return slices.ContainsFunc(s.Devices, func(d resourceapi.Device) bool {
		return slices.ContainsFunc(d.ConsumesCounters, func(c resourceapi.DeviceCounterConsumption) bool { return len(c.CompatibilityGroups) > 0 })
	})
}

func (p *pool) hasCounters(d *resourceapi.Device) bool {
	for _, consumed := range d.ConsumesCounters {
		set, ok := p.counters[consumed.CounterSet]
		for name := range consumed.Counters {
			if _, known := set[name]; !known {
				return false
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

func (w *world) addDevices(p *pool, spec *resourceapi.ResourceSliceSpec) {
	for i := range spec.Devices {
		d := &device{
			Device: w.tainted(spec, i), id: deviceID{spec.Driver, spec.Pool.Name, spec.Devices[i].Name}, from: spec, pool: p,
			shared: ptr.Deref(spec.Devices[i].AllowMultipleAllocations, false) && !w.off["ConsumableCapacity"],
		}
		d.capacity = make(map[string]resourceapi.DeviceCapacity, len(d.Capacity))
		for name, c := range d.Capacity {
			d.capacity[localName(spec.Driver, name)] = c
		}
		if first := w.devices[d.id]; first != nil {
			first.twice, d.twice = true, true
		} else {
			w.devices[d.id] = d
		}
		p.devices = append(p.devices, d)
		w.all = append(w.all, d)
	}
}

// tainted returns a device with the taints of the rules selecting it (DeviceTaintSelector).
func (w *world) tainted(spec *resourceapi.ResourceSliceSpec, i int) *resourceapi.Device {
	device := spec.Devices[i]
	for r := range w.p.Rules {
		rule := &w.p.Rules[r].Spec
		if by := rule.DeviceSelector; by != nil && ptr.Deref(by.Driver, spec.Driver) == spec.Driver &&
			ptr.Deref(by.Pool, spec.Pool.Name) == spec.Pool.Name && ptr.Deref(by.Device, device.Name) == device.Name {
			device.Taints = append(slices.Clip(device.Taints), rule.Taint)
		}
	}
	return &device
}

// localName returns a name without the driver's domain (QualifiedName).
func localName(driver string, name resourceapi.QualifiedName) string {
	return strings.TrimPrefix(string(name), driver+"/")
}

func localAmounts(driver string, amounts map[resourceapi.QualifiedName]resource.Quantity) map[string]resource.Quantity {
	local := make(map[string]resource.Quantity, len(amounts))
	for name, amount := range amounts {
		local[localName(driver, name)] = amount
	}
	return local
}

// reaches reports whether a device is available on a node.
func (w *world) reaches(d *device, node *problem.Node) answer {
	if d.twice {
		return open
	}
	if ptr.Deref(d.from.PerDeviceNodeSelection, false) {
		if w.off["PartitionableDevices"] {
			return open
		}
		return reaches(d.NodeName, d.NodeSelector, d.AllNodes, node)
	}
	return reaches(d.from.NodeName, d.from.NodeSelector, d.from.AllNodes, node)
}

// MayReach reports whether a slice is for a node. A slice with an invalid node selection may be.
func MayReach(s *resourceapi.ResourceSlice, node *problem.Node) bool {
	if !ptr.Deref(s.Spec.PerDeviceNodeSelection, false) {
		return reaches(s.Spec.NodeName, s.Spec.NodeSelector, s.Spec.AllNodes, node) != no
	}
	return slices.ContainsFunc(s.Spec.Devices, func(d resourceapi.Device) bool { return reaches(d.NodeName, d.NodeSelector, d.AllNodes, node) != no })
}

func reaches(name *string, selector *corev1.NodeSelector, all *bool, node *problem.Node) answer {
	switch {
	case name != nil:
		return certainly(*name == node.Name)
	case selector != nil:
		return selects(selector, node)
	}
	return certainly(ptr.Deref(all, false))
}

// trouble reports whether unusable pools concern a node: yes if one has a device there, open if one
// might.
func (w *world) trouble(node *problem.Node) answer {
	result := no
	for _, p := range w.pools {
		if p.usable == yes {
			continue
		}
		for _, d := range p.devices {
			if p.usable == no && w.reaches(d, node) == yes {
				return yes
			}
		}
		result = open
	}
	return result
}

// puzzling reports whether a slice has an invalid node selection for a node. The API does not
// define the scheduler's reaction.
func (w *world) puzzling(node *problem.Node) bool {
	for i := range w.p.Slices {
		s := &w.p.Slices[i].Spec
		if !ptr.Deref(s.PerDeviceNodeSelection, false) {
			if nowhere(s) || reaches(s.NodeName, s.NodeSelector, s.AllNodes, node) == open {
				return true
			}
			continue
		}
		if s.NodeName != nil || s.NodeSelector != nil || s.AllNodes != nil {
			return true // Only one of them may be set.
		}
		for d := range s.Devices {
			if reaches(s.Devices[d].NodeName, s.Devices[d].NodeSelector, s.Devices[d].AllNodes, node) == open {
				return true
			}
		}
	}
	return false
}
