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

package compare

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
)

func eachSlice(change func(*resourceapi.ResourceSliceSpec)) func(*problem.Problem) {
	return func(p *problem.Problem) {
		for i := range p.Slices {
			change(&p.Slices[i].Spec)
		}
	}
}

func eachDevice(change func(*resourceapi.ResourceSliceSpec, *resourceapi.Device)) func(*problem.Problem) {
	return eachSlice(func(spec *resourceapi.ResourceSliceSpec) {
		for d := range spec.Devices {
			change(spec, &spec.Devices[d])
		}
	})
}

func ignoreFields(spec *resourceapi.ResourceSliceSpec) {
	if spec.NodeSelector == nil {
		return
	}
	for t := range spec.NodeSelector.NodeSelectorTerms {
		spec.NodeSelector.NodeSelectorTerms[t].MatchFields = nil
	}
	if slices.ContainsFunc(spec.NodeSelector.NodeSelectorTerms, func(t corev1.NodeSelectorTerm) bool { return len(t.MatchExpressions) == 0 }) {
		spec.NodeSelector, spec.AllNodes = nil, ptr.To(true)
	}
}

func firstTerm(spec *resourceapi.ResourceSliceSpec) {
	if spec.NodeSelector != nil && len(spec.NodeSelector.NodeSelectorTerms) > 1 {
		spec.NodeSelector.NodeSelectorTerms = spec.NodeSelector.NodeSelectorTerms[:1]
	}
}

func anyCompany(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
	for i := range d.ConsumesCounters {
		d.ConsumesCounters[i].CompatibilityGroups = nil
	}
}

// onlyDevices keeps only the devices of these allocations.
func onlyDevices(p *problem.Problem, allocations []resourceapi.AllocationResult) {
	type device struct{ driver, pool, name string }
	named := map[device]bool{}
	for i := range allocations {
		for _, r := range allocations[i].Devices.Results {
			named[device{r.Driver, r.Pool, r.Device}] = true
		}
	}
	eachSlice(func(spec *resourceapi.ResourceSliceSpec) {
		spec.Devices = slices.DeleteFunc(spec.Devices, func(d resourceapi.Device) bool { return !named[device{spec.Driver, spec.Pool.Name, d.Name}] })
	})(p)
}

// dropNamesakes keeps one device per name in each pool.
func dropNamesakes(p *problem.Problem) {
	type device struct{ driver, pool, name string }
	seen := map[device]bool{}
	eachSlice(func(spec *resourceapi.ResourceSliceSpec) {
		spec.Devices = slices.DeleteFunc(spec.Devices, func(d resourceapi.Device) bool {
			id := device{spec.Driver, spec.Pool.Name, d.Name}
			again := seen[id]
			seen[id] = true
			return again
		})
	})(p)
}

// plentyOfCapacity gives exclusive devices all requested capacity.
func plentyOfCapacity(p *problem.Problem) {
	names := map[resourceapi.QualifiedName]bool{}
	for c := range p.Claims {
		for _, r := range problem.Requests(&p.Claims[c]) {
			if r.Capacity != nil {
				for name := range r.Capacity.Requests {
					names[name] = true
				}
			}
		}
	}
	eachDevice(func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
		if ptr.Deref(d.AllowMultipleAllocations, false) || len(names) == 0 {
			return
		}
		all := map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}
		for name := range names {
			all[name] = resourceapi.DeviceCapacity{Value: resource.MustParse("8E")}
		}
		d.Capacity = all
	})(p)
}

// coverCounters raises each counter of a pool to at least its current use.
func coverCounters(p *problem.Problem) {
	type poolID struct{ driver, pool string }
	type device struct {
		poolID
		name string
	}
	type counter struct {
		poolID
		set, name string
	}
	used := map[device]bool{}
	for i := range p.Allocated {
		for _, r := range p.Allocated[i].Status.Allocation.Devices.Results {
			used[device{poolID{r.Driver, r.Pool}, r.Device}] = true
		}
	}
	taken := map[counter]resource.Quantity{}
	eachDevice(func(spec *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
		id := poolID{spec.Driver, spec.Pool.Name}
		if !used[device{id, d.Name}] {
			return
		}
		for _, consumption := range d.ConsumesCounters {
			for name, c := range consumption.Counters {
				sum := taken[counter{id, consumption.CounterSet, name}]
				sum.Add(c.Value)
				taken[counter{id, consumption.CounterSet, name}] = sum
			}
		}
	})(p)
	eachSlice(func(spec *resourceapi.ResourceSliceSpec) {
		for _, set := range spec.SharedCounters {
			for name, c := range set.Counters {
				if sum := taken[counter{poolID{spec.Driver, spec.Pool.Name}, set.Name, name}]; sum.Cmp(c.Value) > 0 {
					set.Counters[name] = resourceapi.Counter{Value: sum}
				}
			}
		}
	})(p)
}

// agreeOnCounts sets the correct slice count in all slices of a pool's generation.
func agreeOnCounts(p *problem.Problem) {
	type key struct {
		driver, pool string
		generation   int64
	}
	keyOf := func(spec *resourceapi.ResourceSliceSpec) key {
		return key{spec.Driver, spec.Pool.Name, spec.Pool.Generation}
	}
	counts := map[key]int64{}
	eachSlice(func(spec *resourceapi.ResourceSliceSpec) { counts[keyOf(spec)]++ })(p)
	eachSlice(func(spec *resourceapi.ResourceSliceSpec) { spec.Pool.ResourceSliceCount = counts[keyOf(spec)] })(p)
}

// lastShareOnly keeps one result per claim and device.
func lastShareOnly(p *problem.Problem) {
	for i := range p.Allocated {
		devices := &p.Allocated[i].Status.Allocation.Devices
		type key struct{ driver, pool, device string }
		last := map[key]int{}
		for j, r := range devices.Results {
			last[key{r.Driver, r.Pool, r.Device}] = j
		}
		var left []resourceapi.DeviceRequestAllocationResult
		for j, r := range devices.Results {
			if last[key{r.Driver, r.Pool, r.Device}] == j {
				left = append(left, r)
			}
		}
		devices.Results = left
	}
}
