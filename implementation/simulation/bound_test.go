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

package simulation

import (
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// boundOf returns the minimum cost of nodes for pods.
func boundOf(t *testing.T, w *cluster, groups ...*Group) int64 {
	t.Helper()
	s := w.simulate(t)
	now, err := s.Place(t.Context(), s.Pending())
	if err != nil {
		t.Fatal(err)
	}
	g := s.growing(groups, now)
	if _, err := g.measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	return g.bound()
}

// Devices reachable from new nodes were not counted: the bound for four pods was four nodes with one
// device each. One node suffices, because its pods also use devices of a rack.
func TestBoundWithDevicesThatAllNodesReach(t *testing.T) {
	rack := slice("rack", 3)
	rack.Spec.NodeName, rack.Spec.AllNodes = nil, ptr.To(true)
	w := world().withPods(4, one)
	w.Slices = append(w.Slices, rack)
	g := group("g", 1)
	if growth := grow(t, w, g); growth.Cost != 1 || len(growth.Unserved()) > 0 {
		t.Fatalf("%+v", growth)
	}
	if bound := boundOf(t, w, g); bound > 1 {
		t.Errorf("the bound is %d, and 1 does", bound)
	}
	if bound := boundOf(t, world().withPods(4, one), g); bound != 4 {
		t.Errorf("without the rack the bound is %d, want 4", bound)
	}
}

// quarters has devices of four, two, one and one quarters.
func quarters(s *resourceapi.ResourceSlice) {
	for i, parts := range []int64{4, 2, 1} {
		d := &s.Spec.Devices[i]
		d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"parts": {IntValue: ptr.To(parts)}}
		d.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: map[string]resourceapi.Counter{"quarters": {Value: *resource.NewQuantity(parts, resource.DecimalSI)}}}}
	}
	s.Spec.Devices = append(s.Spec.Devices, *s.Spec.Devices[2].DeepCopy())
	s.Spec.Devices[3].Name = "dev-3"
}

func quarter(name string) *resourceapi.ResourceClaim {
	return asking(name, 1, request(func(r *resourceapi.DeviceRequest) {
		r.Exactly.Selectors = selecting(`device.attributes["driver.example.com"].?parts.orValue(0) == 1`)
	}))
}

// A pod takes a whole node if it is empty, but a part of a node with another pod. The bound for two
// such pods was two nodes; together with the other pod they need one.
func TestBoundWithPartitions(t *testing.T) {
	g := group("g", 3, quarters)
	counters := slice("g-template", 0)
	counters.Name = "counters"
	counters.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "set", Counters: map[string]resourceapi.Counter{"quarters": {Value: resource.MustParse("4")}}}}
	g.Slices = append(g.Slices, counters)
	for _, s := range g.Slices {
		s.Spec.Pool.ResourceSliceCount = 2
	}
	w := world().withPods(1, quarter).withPods(2, one)
	growth := grow(t, w, g)
	if growth.Cost != 1 || len(growth.Unserved()) > 0 {
		t.Fatalf("%+v", growth)
	}
	if bound := boundOf(t, w, g); bound > 1 {
		t.Errorf("the bound is %d, and 1 does", bound)
	}
}

// The same with partitions of a rack reachable from all nodes.
func TestBoundWithPartitionsThatAllNodesReach(t *testing.T) {
	rack := slice("rack", 3, quarters)
	counters := slice("rack", 0)
	counters.Name = "counters"
	counters.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "set", Counters: map[string]resourceapi.Counter{"quarters": {Value: resource.MustParse("4")}}}}
	w := world().withPods(1, quarter).withPods(3, one)
	for _, s := range []*resourceapi.ResourceSlice{rack, counters} {
		s.Spec.Pool.ResourceSliceCount, s.Spec.NodeName, s.Spec.AllNodes = 2, nil, ptr.To(true)
		w.Slices = append(w.Slices, s)
	}
	g := group("g", 1)
	growth := grow(t, w, g)
	if growth.Cost != 1 || len(growth.Unserved()) > 0 {
		t.Fatalf("%+v", growth)
	}
	if bound := boundOf(t, w, g); bound > 1 {
		t.Errorf("the bound is %d, and 1 does", bound)
	}
}
