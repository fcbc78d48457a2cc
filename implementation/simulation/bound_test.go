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

// boundOf is what the nodes cost at least that pods need.
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

// Devices that new nodes reach were not counted: four pods were said to need four nodes with
// one device each, and one node does, whose pods use devices of a rack, too.
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

// quarters has a device that is the whole of four quarters, a half, and two that are a quarter.
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

// A pod that takes the whole of a node when that is empty takes a part where another pod has
// one: two such pods were said to need two nodes, and with the other pod one does.
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

// The same where the partitions are those of a rack that all nodes reach.
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
