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

package generate

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// addCounters partitions the devices from slice first on: counter sets in a separate slice,
// sometimes for another node, and devices using parts of one or two sets.
func (g *generator) addCounters(first int, where selection) {
	spec := g.p.Slices[first].Spec
	sets := g.between(1, 2)
	slice := g.newSlice(spec.Driver, spec.Pool.Name, pick(g, "counters", "0-counters"), spec.Pool.Generation, where)
	if g.chance(20) {
		slice.Spec.NodeName, slice.Spec.AllNodes, slice.Spec.NodeSelector = nil, nil, nil
		if g.chance(50) {
			slice.Spec.AllNodes = ptr.To(true)
		} else {
			slice.Spec.NodeName = ptr.To("elsewhere")
		}
	}
	for i := range sets {
		set := resourceapi.CounterSet{Name: fmt.Sprintf("gpu-%d", i), Counters: map[string]resourceapi.Counter{
			"memory": {Value: quantity(pick(g, "40Gi", "80Gi"))},
		}}
		if g.chance(70) {
			set.Counters["slices"] = resourceapi.Counter{Value: quantity(fmt.Sprint(g.between(3, 7)))}
		}
		slice.Spec.SharedCounters = append(slice.Spec.SharedCounters, set)
	}
	for i := first; i < len(g.p.Slices); i++ {
		devices := g.p.Slices[i].Spec.Devices
		for d := range devices {
			if !g.chance(85) {
				continue
			}
			devices[d].ConsumesCounters = g.consumption(slice.Spec.SharedCounters)
			if d > 0 && g.chance(40) {
				devices[d].ConsumesCounters = nil
				for _, c := range devices[d-1].ConsumesCounters {
					devices[d].ConsumesCounters = append(devices[d].ConsumesCounters, *c.DeepCopy())
				}
			}
		}
	}
	g.p.Slices = append(g.p.Slices, slice)
}

func (g *generator) consumption(sets []resourceapi.CounterSet) []resourceapi.DeviceCounterConsumption {
	used := sets[g.IntN(len(sets)):][:1]
	if len(sets) > 1 && g.chance(20) {
		used = sets
	}
	var all []resourceapi.DeviceCounterConsumption
	for _, set := range used {
		consumption := resourceapi.DeviceCounterConsumption{CounterSet: set.Name, Counters: map[string]resourceapi.Counter{}}
		if g.chance(85) {
			consumption.Counters["memory"] = resourceapi.Counter{Value: quantity(pick(g, "5Gi", "10Gi", "20Gi", "20Gi", "40Gi", "80Gi"))}
		}
		if _, ok := set.Counters["slices"]; ok && (len(consumption.Counters) == 0 || g.chance(60)) {
			consumption.Counters["slices"] = resourceapi.Counter{Value: quantity(fmt.Sprint(g.between(0, 4)))}
		}
		all = append(all, consumption)
	}
	return all
}
