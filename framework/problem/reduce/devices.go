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

package reduce

import (
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/problem"
)

// deviceCuts reduce the published devices.
func deviceCuts() []cut {
	type device = resourceapi.Device
	one := func(*device) int { return 1 }
	return []cut{
		func(p *problem.Problem, i int) bool {
			return nested(p.Slices, i, func(s *resourceapi.ResourceSlice) int { return len(s.Spec.Devices) },
				func(s *resourceapi.ResourceSlice, i int) { drop(&s.Spec.Devices, i) })
		},
		ofDevices(one, func(d *device, _ int) { d.Attributes, d.Capacity = nil, nil }),
		ofDevices(func(d *device) int { return len(d.Taints) }, func(d *device, i int) { drop(&d.Taints, i) }),
		ofDevices(func(d *device) int { return len(d.ConsumesCounters) }, func(d *device, i int) { drop(&d.ConsumesCounters, i) }),
		ofDevices(one, func(d *device, _ int) { d.AllowMultipleAllocations = nil }),
		ofDevices(one, func(d *device, _ int) { d.BindsToNode, d.BindingConditions, d.BindingFailureConditions = nil, nil, nil }),
		ofDevices(func(d *device) int { return len(d.Attributes) }, func(d *device, i int) { dropKey(d.Attributes, i) }),
		ofDevices(func(d *device) int { return len(d.Capacity) }, func(d *device, i int) { dropKey(d.Capacity, i) }),
		ofDevices(func(d *device) int { return len(d.Capacity) }, func(d *device, i int) {
			key := slices.Sorted(maps.Keys(d.Capacity))[i]
			d.Capacity[key] = resourceapi.DeviceCapacity{Value: d.Capacity[key].Value}
		}),
		ofDevices(func(d *device) int { return len(d.ConsumesCounters) * 2 }, func(d *device, i int) {
			if counters := d.ConsumesCounters[i/2].Counters; i%2 < len(counters) {
				dropKey(counters, i%2)
			}
		}),
	}
}

func ofDevices(size func(*resourceapi.Device) int, do func(*resourceapi.Device, int)) cut {
	return func(p *problem.Problem, i int) bool {
		return nested(p.Slices, i,
			func(s *resourceapi.ResourceSlice) int {
				n := 0
				for i := range s.Spec.Devices {
					n += size(&s.Spec.Devices[i])
				}
				return n
			},
			func(s *resourceapi.ResourceSlice, i int) { nested(s.Spec.Devices, i, size, do) })
	}
}

func dropKey[K ~string, V any](m map[K]V, i int) {
	delete(m, slices.Sorted(maps.Keys(m))[i])
}
