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

package pools

import (
	"fmt"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// WrongCounters returns the problems of a pool's counters (KEP-4815): duplicate sets, of which the API server
// validates only those of one slice, and consumption of missing counters.
func (p Pool) WrongCounters() []string {
	var wrong []string
	seen := map[string]bool{}
	for _, s := range p.Slices {
		for _, set := range s.Spec.SharedCounters {
			if seen[set.Name] {
				wrong = append(wrong, fmt.Sprintf("pool %s: set %s is there twice", p.Name, set.Name))
			}
			seen[set.Name] = true
		}
	}
	for _, d := range p.Devices() {
		at := fmt.Sprintf("pool %s, device %s: ", p.Name, d.Name)
		for _, consumed := range d.ConsumesCounters {
			if !seen[consumed.CounterSet] {
				wrong = append(wrong, at+"there is no set "+consumed.CounterSet)
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(consumed.Counters)) {
				if _, has := p.set(consumed.CounterSet)[name]; !has {
					wrong = append(wrong, fmt.Sprintf("%sset %s has no counter %s", at, consumed.CounterSet, name))
				}
			}
		}
	}
	return wrong
}

// IsPartition reports whether a device draws on counters and leaves some to others of the pool: a device using all of
// its sets completely is whole.
func (p Pool) IsPartition(d Device) bool {
	for _, consumed := range d.ConsumesCounters {
		for name, counter := range p.set(consumed.CounterSet) {
			if use := consumed.Counters[name]; use.Value.Cmp(counter.Value) < 0 {
				return true
			}
		}
	}
	return false
}

func (p Pool) set(name string) map[string]resourceapi.Counter {
	for _, s := range p.Slices {
		for _, set := range s.Spec.SharedCounters {
			if set.Name == name {
				return set.Counters
			}
		}
	}
	return nil
}

// LeastShare is the minimum request of each capacity of a shareable device.
func (d Device) LeastShare() map[resourceapi.QualifiedName]resource.Quantity {
	share := map[resourceapi.QualifiedName]resource.Quantity{}
	for name, capacity := range d.Capacity {
		share[name] = least(capacity)
	}
	return share
}

// least is the minimum request of a capacity (resource/v1, CapacityRequestPolicy).
func least(c resourceapi.DeviceCapacity) resource.Quantity {
	one := resource.MustParse("1")
	switch p := c.RequestPolicy; {
	case p != nil && p.ValidRange != nil && p.ValidRange.Min != nil:
		return *p.ValidRange.Min
	case p != nil && len(p.ValidValues) > 0:
		return p.ValidValues[0] // they are in ascending order
	case c.Value.Cmp(one) < 0:
		return c.Value
	default:
		return one
	}
}
