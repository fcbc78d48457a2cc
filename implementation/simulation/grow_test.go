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
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

func one(name string) *resourceapi.ResourceClaim   { return asking(name, 1) }
func three(name string) *resourceapi.ResourceClaim { return asking(name, 3) }

func all(name string) *resourceapi.ResourceClaim {
	return asking(name, 0, request(func(r *resourceapi.DeviceRequest) { r.Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll }))
}

// model alternates the devices' models "a" and "b".
func model(i int, d *resourceapi.Device) {
	d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"model": {StringValue: ptr.To(string(rune('a' + i%2)))}}
}

// halves are partitions: each of three devices takes a half.
func halves(s *resourceapi.ResourceSlice) {
	s.Spec.SharedCounters = nil
	for i := range s.Spec.Devices {
		s.Spec.Devices[i].ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: map[string]resourceapi.Counter{"memory": {Value: resource.MustParse("1Gi")}}}}
	}
}

// partitionable is a group whose pool has counters in their own slice.
func partitionable(name string, devices int) *Group {
	g := group(name, devices, halves)
	counters := slice(name+"-template", 0)
	counters.Name = "counters"
	counters.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "set", Counters: map[string]resourceapi.Counter{"memory": {Value: resource.MustParse("2Gi")}}}}
	g.Slices = append(g.Slices, counters)
	for _, s := range g.Slices {
		s.Spec.Pool.ResourceSliceCount = 2
	}
	return g
}

func costing(g *Group, cost int64) *Group { g.Cost = cost; return g }
func atMost(g *Group, n int) *Group       { g.Max = n; return g }

func extended(name, resourceName string) *v1.Pod {
	p := using(name)
	p.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceName(resourceName): resource.MustParse("2")}
	return p
}

func TestGrow(t *testing.T) {
	for _, test := range []struct {
		name    string
		cluster *cluster
		groups  []*Group
		want    []int
		left    string // reasons of the pods without a node
	}{
		{"claims from a template", world().withPods(5, one), []*Group{group("g", 2)}, []int{3}, ""},
		{"what is free comes first", world().withNode(node("old"), slice("old", 3)).withPods(5, one), []*Group{group("g", 2)}, []int{1}, ""},
		{"nothing is needed", world().withNode(node("old"), slice("old", 8)).withPods(5, one), []*Group{group("g", 2)}, []int{0}, ""},
		{"the cheaper group", world().withPods(4, one), []*Group{costing(group("g", 1), 2), costing(group("h", 2), 3)}, []int{0, 2}, ""},
		{"a mix is the cheapest", world().withPods(5, one), []*Group{costing(group("g", 1), 2), costing(group("h", 4), 5)}, []int{1, 1}, ""},
		{"large and small claims", world().withPods(2, three).withPods(2, one), []*Group{group("g", 4)}, []int{2}, ""},
		{"a limit", world().withPods(5, one), []*Group{atMost(group("g", 2), 2)}, []int{2}, "all nodes that the groups may have are added"},
		{"a limit of the cheap group", world().withPods(5, one), []*Group{atMost(group("g", 2), 2), costing(group("h", 2), 5)}, []int{2, 1}, ""},
		{"too many devices", world().withPods(1, three), []*Group{group("g", 2)}, []int{0}, "a node of group g: 1 node: cannot allocate all claims"},
		{"no group", world().withPods(1, one), nil, nil, "there are no nodes"},
		{"all devices of a node", world().withPods(2, all), []*Group{group("g", 2)}, []int{2}, ""},
		{"an attribute", world().withPods(3, func(name string) *resourceapi.ResourceClaim {
			return asking(name, 1, request(func(r *resourceapi.DeviceRequest) {
				r.Exactly.Selectors = selecting(`device.attributes["driver.example.com"].model == "b"`)
			}))
		}), []*Group{group("g", 4, each(model))}, []int{2}, ""},
		{"alternatives", world().withPods(2, func(name string) *resourceapi.ResourceClaim {
			return asking(name, 1, request(func(r *resourceapi.DeviceRequest) {
				r.Exactly = nil
				for _, count := range []int64{4, 2} {
					r.FirstAvailable = append(r.FirstAvailable, resourceapi.DeviceSubRequest{Name: fmt.Sprint("s", count), DeviceClassName: "any", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count})
				}
			}))
		}), []*Group{group("g", 2)}, []int{2}, ""},
		{"a constraint", world().withPods(2, func(name string) *resourceapi.ResourceClaim {
			return asking(name, 2, func(c *resourceapi.ResourceClaim) {
				c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(driver + "/model"))}}
			})
		}), []*Group{group("g", 3, each(model))}, []int{2}, ""},
		{"partitions", world().withPods(5, one), []*Group{partitionable("g", 3)}, []int{3}, ""},
		{"capacity that is shared", world().withPods(5, func(name string) *resourceapi.ResourceClaim {
			return asking(name, 1, request(func(r *resourceapi.DeviceRequest) {
				r.Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse("1Gi")}}
			}))
		}), []*Group{group("g", 1, each(func(_ int, d *resourceapi.Device) {
			d.AllowMultipleAllocations = ptr.To(true)
			d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("2Gi")}}
		}))}, []int{3}, ""},
		{"admin access takes nothing", world().withPods(5, func(name string) *resourceapi.ResourceClaim {
			return asking(name, 1, request(func(r *resourceapi.DeviceRequest) { r.Exactly.AdminAccess = ptr.To(true) }))
		}), []*Group{group("g", 1)}, []int{1}, ""},
		{"a tainted device", world().withPods(2, one), []*Group{group("g", 2, each(func(i int, d *resourceapi.Device) {
			if i == 0 {
				d.Taints = []resourceapi.DeviceTaint{{Key: "broken", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
			}
		}))}, []int{2}, ""},
		{"extended resource by the class's name", world().withPod(extended("p", "deviceclass.resource.kubernetes.io/any")).withPod(extended("q", "deviceclass.resource.kubernetes.io/any")), []*Group{group("g", 2)}, []int{2}, ""},
		{"shared by two pods", world().withPod(using("p", "x"), one("x")).withPod(using("q", "x")), []*Group{group("g", 1)}, []int{1}, ""},
		{"processors are short before devices", world().withPods(3, one).eachPod(func(p *v1.Pod) {
			p.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: resource.MustParse("5")}
		}), []*Group{group("g", 8)}, []int{3}, ""},
		{"pods without claims", world().withPod(using("p")), []*Group{group("g", 0)}, []int{1}, ""},
		{"a claim that is not there", world().withPod(using("p", "x")), []*Group{group("g", 1)}, []int{0}, "x"},
		{"a pod with gates", world().withPod(using("p")).eachPod(func(p *v1.Pod) { p.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "gate"}} }), []*Group{group("g", 1)}, []int{0}, "scheduling gates"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := test.cluster.simulate(t)
			growth, err := s.Grow(t.Context(), s.Pending(), test.groups)
			if err != nil {
				t.Fatal(err)
			}
			unserved := growth.Unserved()
			if !slices.Equal(growth.Counts, test.want) || (len(unserved) > 0) != (test.left != "") {
				t.Errorf("counts %v, want %v; left are %d: %+v", growth.Counts, test.want, len(unserved), unserved)
			}
			for _, p := range unserved {
				if !strings.Contains(p.Reason, test.left) {
					t.Errorf("pod %s: got %q, want %q in it", p.Pod.Name, p.Reason, test.left)
				}
			}
			if growth.Bound != growth.Cost {
				t.Errorf("cost %d, bound %d: not exact", growth.Cost, growth.Bound)
			}
			again, err := s.Grow(t.Context(), s.Pending(), test.groups)
			if err != nil || !slices.Equal(again.Counts, growth.Counts) {
				t.Errorf("the second time: %v and error %v", again, err)
			}
		})
	}
}

func (c *cluster) eachPod(change func(*pod)) *cluster {
	for _, p := range c.Pods {
		change(p)
	}
	return c
}

// Devices reachable from all nodes do not come with a node. Four of them once raised the bound to four
// nodes of the group, and made any answer the cheapest.
func TestBoundLeavesOutPoolsOfTheCluster(t *testing.T) {
	network := slice("network", 4)
	network.Spec.NodeName, network.Spec.AllNodes = nil, ptr.To(true)
	bare := &Group{Name: "bare", Cost: 1, Template: Template{Node: node("bare")}}
	w := world().withPods(4, one)
	w.Slices = append(w.Slices, network)
	s := w.simulate(t)
	growth, err := s.Grow(t.Context(), s.Pending(), []*Group{bare, costing(group("g", 1), 10)})
	if err != nil || !slices.Equal(growth.Counts, []int{1, 0}) || growth.Bound != 1 {
		t.Errorf("%+v and error %v", growth, err)
	}
}

// A DaemonSet pod takes one of three devices of each new node.
func TestGrowWithPodsOfDaemonSets(t *testing.T) {
	g := group("g", 3)
	g.Pods, g.Claims = []*v1.Pod{using("agent", "agent-claim")}, []*resourceapi.ResourceClaim{one("agent-claim")}
	s := world().withPods(4, one).simulate(t)
	growth, err := s.Grow(t.Context(), s.Pending(), []*Group{g})
	if err != nil || !slices.Equal(growth.Counts, []int{2}) || len(growth.Unserved()) > 0 {
		t.Fatalf("%+v and error %v", growth, err)
	}
	if got, want := devicesOf(growth.Placements[3]), "g-new-2/dev-2 "; got != want {
		t.Errorf("the last pod has %q, want %q", got, want)
	}
}

// A new node's pool would have one of two slices.
func TestIncompletePoolIsRefused(t *testing.T) {
	g := group("g", 2)
	g.Slices[0].Spec.Pool.ResourceSliceCount = 2
	s := world().withPods(1, one).simulate(t)
	if _, err := s.Grow(t.Context(), s.Pending(), []*Group{g}); err == nil || !strings.Contains(err.Error(), "has 2 slices, this template has 1 of them: such a pool is incomplete") {
		t.Errorf("got %v", err)
	}
}

// A node is Ready before its slices: it does not fit now, and the reason says so.
func TestNodeWithoutSlices(t *testing.T) {
	s := world().withNode(node("new")).withPods(1, one).simulate(t)
	placements, err := s.Place(t.Context(), s.Pending())
	if err != nil || placements[0].Node != "" || !strings.Contains(placements[0].Reason, "1 node: cannot allocate all claims") {
		t.Errorf("%+v and error %v", placements, err)
	}
}

// ofModelA requests a device of model a: every second device, from the first.
func ofModelA(name string) *resourceapi.ResourceClaim {
	return asking(name, 1, request(func(r *resourceapi.DeviceRequest) {
		r.Exactly.Selectors = selecting(`device.attributes["driver.example.com"].model == "a"`)
	}))
}

// Karpenter sorts pods by size and found one node less sufficient for pods of different sizes. The
// scheduler's queue has another order: there the first pod takes the device needed by the second.
// Counts are minimal for the queue's order, not for any order.
func TestCountsAreThoseOfTheQueue(t *testing.T) {
	g := group("g", 2, each(model))
	unlucky := world().withPods(1, one).withPods(1, ofModelA)
	growth := grow(t, unlucky, g)
	if !slices.Equal(growth.Counts, []int{2}) || growth.Bound != 2 {
		t.Errorf("%+v", growth)
	}
	s := unlucky.simulate(t)
	if err := s.AddNode(t.Context(), &g.Template, g.NodeName(1)); err != nil {
		t.Fatal(err)
	}
	less, err := s.Place(t.Context(), s.Pending())
	if err != nil || less[0].Node == "" || less[1].Node != "" {
		t.Errorf("on one node: %+v and error %v", less, err)
	}
	if growth := grow(t, world().withPods(1, ofModelA).withPods(1, one), g); !slices.Equal(growth.Counts, []int{1}) {
		t.Errorf("the other order: %+v", growth)
	}
}
