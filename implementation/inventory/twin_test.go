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

package inventory

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// slowPools is the slow twin of Inventory.Node: one pass over all slices per question, no memory, all
// features enabled, no broken selectors. It maps each pool to "?", "!" or its devices.
func slowPools(all []*resourceapi.ResourceSlice, node *corev1.Node) map[PoolID]string {
	pools := make(map[PoolID]string)
	for _, slice := range all {
		id := PoolID{Driver: slice.Spec.Driver, Pool: slice.Spec.Pool.Name}
		if _, done := pools[id]; done || !slowReachable(slice, node) {
			continue
		}
		seen := newestOf(all, func(s *resourceapi.ResourceSlice) bool { return inPool(s, id) && slowReachable(s, node) })
		disagree := slices.ContainsFunc(seen, func(s *resourceapi.ResourceSlice) bool {
			return s.Spec.Pool.ResourceSliceCount != seen[0].Spec.Pool.ResourceSliceCount
		})
		whole := newestOf(all, func(s *resourceapi.ResourceSlice) bool { return inPool(s, id) })
		if whole[0].Spec.Pool.Generation != seen[0].Spec.Pool.Generation {
			continue
		}
		if !disagree && int64(len(seen)) == seen[0].Spec.Pool.ResourceSliceCount {
			whole = seen
		} else if disagree || int64(len(whole)) != seen[0].Spec.Pool.ResourceSliceCount {
			pools[id] = "?"
			continue
		}
		pools[id] = slowContent(seen, whole)
		if slowRepeats(newestOf(all, func(s *resourceapi.ResourceSlice) bool { return inPool(s, id) })) {
			pools[id] = "!"
		}
	}
	return pools
}

func inPool(s *resourceapi.ResourceSlice, id PoolID) bool {
	return s.Spec.Driver == id.Driver && s.Spec.Pool.Name == id.Pool
}

// newestOf returns the slices of the highest generation by name.
func newestOf(all []*resourceapi.ResourceSlice, which func(*resourceapi.ResourceSlice) bool) []*resourceapi.ResourceSlice {
	var result []*resourceapi.ResourceSlice
	for _, slice := range all {
		newer := func(s *resourceapi.ResourceSlice) bool {
			return which(s) && s.Spec.Pool.Generation > slice.Spec.Pool.Generation
		}
		if which(slice) && !slices.ContainsFunc(all, newer) {
			result = append(result, slice)
		}
	}
	slices.SortFunc(result, func(a, b *resourceapi.ResourceSlice) int { return strings.Compare(a.Name, b.Name) })
	return result
}

func slowReachable(slice *resourceapi.ResourceSlice, node *corev1.Node) bool {
	if ptr.Deref(slice.Spec.PerDeviceNodeSelection, false) {
		return slices.ContainsFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return slowDeviceReachable(&d, node) })
	}
	return slowSelects(slice.Spec.NodeName, slice.Spec.AllNodes, slice.Spec.NodeSelector, node)
}

func slowDeviceReachable(d *resourceapi.Device, node *corev1.Node) bool {
	return slowSelects(d.NodeName, d.AllNodes, d.NodeSelector, node)
}

func slowSelects(name *string, all *bool, selector *corev1.NodeSelector, node *corev1.Node) bool {
	if selector != nil {
		_, found := node.Labels[selector.NodeSelectorTerms[0].MatchExpressions[0].Key]
		return found
	}
	return ptr.Deref(name, "") == node.Name || ptr.Deref(all, false)
}

// slowContent lists devices, counter sets and consumers of a complete pool.
func slowContent(seen, whole []*resourceapi.ResourceSlice) string {
	var devices, content []string
	sets := make(map[string]map[string]resourceapi.Counter)
	for _, slice := range whole {
		for _, set := range slice.Spec.SharedCounters {
			if sets[set.Name] != nil {
				return "!"
			}
			sets[set.Name] = set.Counters
			content = append(content, set.Name)
		}
	}
	for _, slice := range whole {
		for _, d := range slice.Spec.Devices {
			if len(slice.Spec.SharedCounters) > 0 {
				continue
			}
			if slices.Contains(seen, slice) {
				devices = append(devices, slice.Name+"."+d.Name)
			}
			for _, consumption := range d.ConsumesCounters {
				content = append(content, "-"+d.Name)
				for counter := range consumption.Counters {
					if _, found := sets[consumption.CounterSet][counter]; !found {
						return "!"
					}
				}
			}
		}
	}
	slices.Sort(content)
	return strings.Join(devices, " ") + "|" + strings.Join(content, " ")
}

// slowRepeats reports whether two devices have the same name.
func slowRepeats(whole []*resourceapi.ResourceSlice) bool {
	var names []string
	for _, slice := range whole {
		for _, d := range slice.Spec.Devices {
			if len(slice.Spec.SharedCounters) == 0 {
				names = append(names, d.Name)
			}
		}
	}
	slices.Sort(names)
	return len(slices.Compact(slices.Clone(names))) < len(names)
}

// fast formats an inventory's answer the same way.
func fast(n *Node) map[PoolID]string {
	pools := make(map[PoolID]string)
	for i, pool := range n.Pools {
		if pool.Incomplete {
			pools[pool.ID] = "?"
			continue
		}
		if pool.Invalid != "" {
			pools[pool.ID] = "!"
			continue
		}
		var devices []string
		for j, d := range n.Devices {
			if n.PoolOf[j] == i {
				devices = append(devices, d.Slice.Name+"."+d.ID.Device)
			}
		}
		content := slices.Collect(maps.Keys(pool.Counters))
		for name, d := range pool.Consumers {
			for range d.Spec.ConsumesCounters {
				content = append(content, "-"+name)
			}
		}
		slices.Sort(content)
		pools[pool.ID] = strings.Join(devices, " ") + "|" + strings.Join(content, " ")
	}
	return pools
}

// randomSlice returns one of a few slices, mostly with the right count and generation.
func randomSlice(r *rand.Rand) *resourceapi.ResourceSlice {
	s := slice(fmt.Sprint("s", r.IntN(12)), fmt.Sprint("p", r.IntN(3)), onNode(fmt.Sprint("n", r.IntN(3))), of(int64(1+r.IntN(4))))
	if r.IntN(6) == 0 {
		s.Spec.Pool.Generation = 2
	}
	if r.IntN(5) == 0 {
		counterSet(fmt.Sprint("set", r.IntN(2)), "mem")(s)
	}
	switch r.IntN(8) {
	case 0, 1:
		onAllNodes()(s)
	case 2:
		onNodesWith([]string{"a", "b"}[r.IntN(2)])(s)
	case 3, 4:
		perDevice()(s)
	case 5:
		unknownSelection()(s)
	}
	for range r.IntN(3) {
		name := fmt.Sprint("d", r.IntN(20))
		if r.IntN(4) == 0 {
			consumer(name, fmt.Sprint("set", r.IntN(2)), "mem")(s)
		} else {
			devices(name)(s)
		}
		d := &s.Spec.Devices[len(s.Spec.Devices)-1]
		switch r.IntN(3) {
		case 0:
			d.NodeSelector = hasLabel([]string{"a", "b"}[r.IntN(2)])
		case 1:
			d.NodeName = ptr.To("n1")
		}
		if r.IntN(10) == 0 {
			d.BindingConditions = []string{"Ready"}
		}
	}
	return s
}

func checkAgainstTwin(t *testing.T, inv *Inventory, all []*resourceapi.ResourceSlice, nodes []*corev1.Node) {
	t.Helper()
	for _, node := range nodes {
		n := mustNode(t, inv, node)
		if got, want := fast(n), slowPools(all, node); !maps.Equal(got, want) {
			t.Fatalf("node %s:\ngot  %v\nwant %v", node.Name, got, want)
		}
		for i, d := range n.Devices {
			want := !ptr.Deref(d.Slice.Spec.PerDeviceNodeSelection, false) || slowDeviceReachable(d.Spec, node)
			if got, err := n.Reachable(i); got != want || err != nil {
				t.Fatalf("node %s: device %s reachable: %v, %v, want %v", node.Name, d.ID, got, err, want)
			}
		}
	}
}

func TestRandomHistoriesAgainstTheTwin(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		inv := New(AllFeatures())
		var previous *Inventory
		var all, previousAll []*resourceapi.ResourceSlice
		nodes := []*corev1.Node{node("n0", "a"), node("n1", "b"), node("n2")}
		for range 60 {
			if r.IntN(10) == 0 {
				i := r.IntN(3)
				nodes[i] = node(nodes[i].Name, [][]string{{}, {"a"}, {"b"}, {"a", "b"}}[r.IntN(4)]...)
			}
			previous, previousAll = inv, all
			changed := randomSlice(r)
			all = slices.DeleteFunc(slices.Clone(all), func(s *resourceapi.ResourceSlice) bool { return s.Name == changed.Name })
			if r.IntN(4) != 0 {
				all = append(all, changed)
			}
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			inv = inv.With(all)
			checkAgainstTwin(t, inv, all, nodes)
			if r.IntN(4) == 0 {
				checkAgainstTwin(t, previous, previousAll, nodes)
			}
		}
	}
}
