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
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// breakPools makes some pools invalid, or incomplete as during a driver's update.
func (g *generator) breakPools() {
	if !g.knobs[brokenPools] {
		return
	}
	for range g.between(1, 2) {
		g.breakPool(g.IntN(len(g.p.Slices)))
	}
}

func (g *generator) breakPool(i int) {
	slice := &g.p.Slices[i]
	kind := g.IntN(12)
	if g.stored {
		kind = pick(g, 0, 1, 2, 3, 4, 5, 6, 7)
		if g.knobs[counters] && g.chance(15) {
			kind = 8
		}
	}
	switch kind {
	case 0: // Slices are missing.
		g.eachOf(slice.Spec.Pool.Name, func(s *resourceapi.ResourceSlice) { s.Spec.Pool.ResourceSliceCount++ })
	case 1: // More slices than announced.
		g.eachOf(slice.Spec.Pool.Name, func(s *resourceapi.ResourceSlice) { s.Spec.Pool.ResourceSliceCount-- })
	case 2: // This one disagrees with the others.
		slice.Spec.Pool.ResourceSliceCount++
	case 3, 4: // An old slice is left.
		old := slice.DeepCopy()
		old.Name = g.newName(old.Name, pick(g, "-old", "-0"))
		old.Spec.Pool.Generation--
		old.Spec.Pool.ResourceSliceCount = int64(g.between(1, 2))
		if g.chance(50) && len(old.Spec.Devices) > 0 {
			old.Spec.Devices[0].Name = "dev-old"
		}
		g.p.Slices = append(g.p.Slices, *old)
	case 5, 6: // The first slice of the next generation is published, maybe for another node.
		next := slice.DeepCopy()
		next.Name = g.newName(next.Name, "-next")
		next.Spec.Pool.Generation++
		next.Spec.Pool.ResourceSliceCount = int64(g.between(1, 2))
		if g.chance(50) {
			next.Spec.AllNodes, next.Spec.NodeSelector, next.Spec.PerDeviceNodeSelection = nil, nil, nil
			next.Spec.NodeName = ptr.To(pick(g, "elsewhere", g.p.Nodes[len(g.p.Nodes)-1].Name))
		}
		g.p.Slices = append(g.p.Slices, *next)
	case 7: // Two devices of the same name.
		g.repeatName(i)
	case 8: // Counters that do not exist.
		for d := range slice.Spec.Devices {
			slice.Spec.Devices[d].ConsumesCounters = append(slice.Spec.Devices[d].ConsumesCounters, resourceapi.DeviceCounterConsumption{
				CounterSet: pick(g, "gpu-0", "unknown"), Counters: map[string]resourceapi.Counter{"unknown": {Value: quantity("1")}},
			})
		}
	case 9: // Counter sets of the same name.
		if sets := slice.Spec.SharedCounters; len(sets) > 0 {
			slice.Spec.SharedCounters = slices.Concat(sets, sets[:1])
		}
	case 10: // A selector that cannot be parsed, or has more terms than allowed.
		g.breakNodeSelector(slice)
	default: // An unknown node selection.
		slice.Spec.NodeName, slice.Spec.AllNodes, slice.Spec.NodeSelector, slice.Spec.PerDeviceNodeSelection = nil, nil, nil, nil
	}
}

// repeatName gives a device the name of another device in its pool. The API server rejects duplicates in the same slice.
func (g *generator) repeatName(i int) {
	slice := &g.p.Slices[i].Spec
	if len(slice.Devices) > 1 && !g.stored {
		slice.Devices[1].Name = slice.Devices[0].Name
		return
	}
	for k := range g.p.Slices {
		other := &g.p.Slices[k].Spec
		if k != i && len(slice.Devices) > 0 && len(other.Devices) > 0 && other.Driver == slice.Driver && other.Pool.Name == slice.Pool.Name {
			slice.Devices[0].Name = other.Devices[0].Name
			return
		}
	}
}

// newName extends a name until it is unique among slices.
func (g *generator) newName(name, more string) string {
	name += more
	for slices.ContainsFunc(g.p.Slices, func(s resourceapi.ResourceSlice) bool { return s.Name == name }) {
		name += more
	}
	return name
}

func (g *generator) eachOf(pool string, change func(*resourceapi.ResourceSlice)) {
	for i := range g.p.Slices {
		if g.p.Slices[i].Spec.Pool.Name == pool {
			change(&g.p.Slices[i])
		}
	}
}

func (g *generator) breakNodeSelector(slice *resourceapi.ResourceSlice) {
	exists := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpExists}}}
	selector := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{exists, exists}}
	if g.chance(60) {
		selector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: "Unheard"}},
		}}}
	}
	if slice.Spec.PerDeviceNodeSelection != nil && len(slice.Spec.Devices) > 0 {
		d := &slice.Spec.Devices[g.IntN(len(slice.Spec.Devices))]
		d.NodeName, d.AllNodes, d.NodeSelector = nil, nil, selector
		return
	}
	slice.Spec.NodeName, slice.Spec.AllNodes, slice.Spec.NodeSelector = nil, nil, selector
}
