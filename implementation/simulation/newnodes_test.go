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
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/scheduler"
)

// withAgent adds a pod to each new node, with a device for this claim.
func withAgent(g *Group, claim *resourceapi.ResourceClaim, change ...func(*v1.Pod)) *Group {
	agent := using("agent", claim.Name)
	for _, c := range change {
		c(agent)
	}
	g.Pods, g.Claims = []*v1.Pod{agent}, []*resourceapi.ResourceClaim{claim}
	return g
}

func grow(t *testing.T, w *cluster, groups ...*Group) *Growth {
	t.Helper()
	s := w.simulate(t)
	growth, err := s.Grow(t.Context(), s.Pending(), groups)
	if err != nil {
		t.Fatal(err)
	}
	return growth
}

// Left counted devices of DaemonSets' claims and of cluster-wide pools.
func TestDevicesLeft(t *testing.T) {
	admin := func(name string) *resourceapi.ResourceClaim {
		return asking(name, 1, request(func(r *resourceapi.DeviceRequest) { r.Exactly.AdminAccess = ptr.To(true) }))
	}
	network := slice("a-network", 2) // the first pool
	network.Spec.NodeName, network.Spec.AllNodes = nil, ptr.To(true)
	reaching := world().withPods(2, one)
	reaching.Slices = append(reaching.Slices, network)
	for _, test := range []struct {
		name    string
		cluster *cluster
		group   *Group
		counts  int
		left    int
	}{
		{"a claim of a DaemonSet's pod", world().withPods(4, one), withAgent(group("g", 3), one("agent-claim")), 2, 0},
		{"one device too many", world().withPods(3, one), withAgent(group("g", 3), one("agent-claim")), 2, 1},
		{"admin access", world().withPods(2, admin), group("g", 3), 1, 3},
		{"devices that all nodes reach", reaching, group("g", 3), 1, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			growth := grow(t, test.cluster, test.group)
			if growth.Counts[0] != test.counts || growth.Left[0] != test.left {
				t.Errorf("%d nodes with %d devices left, want %d with %d", growth.Counts[0], growth.Left[0], test.counts, test.left)
			}
		})
	}
}

// A refused group ended the whole answer.
func TestGroupThatIsRefusedServesNobody(t *testing.T) {
	hungry := func(p *v1.Pod) {
		p.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: resource.MustParse("99")}
	}
	growth := grow(t, world().withPods(3, one), withAgent(group("bad", 4), one("agent-claim"), hungry), costing(group("good", 2), 9))
	if !slices.Equal(growth.Counts, []int{0, 2}) || len(growth.Unserved()) > 0 || growth.Refused[1] != "" ||
		!strings.Contains(growth.Refused[0], "add node bad-new-1: its own pod ns/agent-bad-new-1 does not fit: 1 node: Insufficient cpu") {
		t.Errorf("%+v", growth)
	}
	growth = grow(t, world().withPods(1, one), withAgent(group("bad", 4), one("agent-claim"), hungry))
	if len(growth.Unserved()) != 1 || !strings.Contains(growth.Placements[0].Reason, "a node of group bad: add node bad-new-1: its own pod") {
		t.Errorf("%+v", growth)
	}
}

// The DaemonSet's pods need a device reachable from all nodes, and there is only one.
func TestGroupCanHaveFewerNodesThanItsLimit(t *testing.T) {
	w, g := onceOnly(3)
	growth := grow(t, w, g, costing(atMost(group("h", 1), 1), 5))
	if !slices.Equal(growth.Counts, []int{1, 1}) || len(growth.Unserved()) != 1 || !strings.Contains(growth.Refused[0], "add node g-new-2: its own pod") {
		t.Errorf("%+v", growth)
	}
	if why := growth.Placements[2].Reason; !strings.HasSuffix(why, "; all nodes that the groups can have are added") {
		t.Errorf("got %q", why)
	}
}

// onceOnly is a group limited to one node, because its own pod takes the network's only device, and a
// cluster with that device and pods requesting another.
func onceOnly(pods int) (*cluster, *Group) {
	network := slice("network", 1, each(func(_ int, d *resourceapi.Device) {
		d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"net": {BoolValue: ptr.To(true)}}
	}))
	network.Spec.NodeName, network.Spec.AllNodes = nil, ptr.To(true)
	want := func(expression string) func(string) *resourceapi.ResourceClaim {
		return func(name string) *resourceapi.ResourceClaim {
			return asking(name, 1, request(func(r *resourceapi.DeviceRequest) { r.Exactly.Selectors = selecting(expression) }))
		}
	}
	w := world().withPods(pods, want(`!("net" in device.attributes["driver.example.com"])`))
	w.Slices = append(w.Slices, network)
	return w, withAgent(group("g", 1), want(`"net" in device.attributes["driver.example.com"]`)("agent-claim"))
}

// Refusals of trials showed up in the answer: it has no node of g, and one could be added.
func TestRefusalIsThatOfTheAnswer(t *testing.T) {
	w, g := onceOnly(4)
	growth := grow(t, w, g, costing(group("h", 2), 2))
	if !slices.Equal(growth.Counts, []int{0, 2}) || growth.Refused[0] != "" || growth.Bound != growth.Cost {
		t.Errorf("%+v", growth)
	}
}

// Impossible counts were retried until the search gave up.
func TestRefusedCountsAreNotSearched(t *testing.T) {
	w, g := onceOnly(30)
	growth := grow(t, w, g, costing(group("h", 2), 3))
	if !slices.Equal(growth.Counts, []int{0, 15}) || growth.Bound != growth.Cost {
		t.Errorf("%+v", growth)
	}
}

// The reason said that all nodes of unlimited groups were added, but another node is useless.
func TestReasonSaysWhyNoMoreNodesAreAdded(t *testing.T) {
	network := slice("network", 1)
	network.Spec.NodeName, network.Spec.AllNodes = nil, ptr.To(true)
	w := world().withPods(2, one)
	w.Slices = append(w.Slices, network)
	growth := grow(t, w, &Group{Name: "bare", Template: Template{Node: node("bare")}})
	if len(growth.Unserved()) != 1 || !strings.HasSuffix(growth.Unserved()[0].Reason, "; no further node was found to serve it beside the others") {
		t.Errorf("%+v", growth)
	}
}

// The first group serving a pod was tried again after it was full.
func TestGroupsThatAreFullAreNotAskedAgain(t *testing.T) {
	pod := using("p")
	g := &growing{groups: []*Group{group("g", 1), group("h", 1)}, kinds: []kind{{pods: []*v1.Pod{pod}, fits: []int{1, 1}}}}
	if got := g.more(placed{}, []int{1, 0}, []bool{true, false}); got != 1 {
		t.Errorf("group %d is asked, want 1", got)
	}
	if got := g.more(placed{}, []int{1, 0}, []bool{true, true}); got != -1 {
		t.Errorf("group %d is asked, want none", got)
	}
}

// Claims of a group with an omitted count requested no device.
func TestClaimsOfGroupsHaveDefaults(t *testing.T) {
	claim := one("agent-claim")
	claim.Spec.Devices.Requests[0].Exactly.AllocationMode, claim.Spec.Devices.Requests[0].Exactly.Count = "", 0
	growth := grow(t, world().withPods(4, one), withAgent(group("g", 3), claim))
	if growth.Counts[0] != 2 || growth.Left[0] != 0 {
		t.Errorf("%+v", growth)
	}
	claim.Spec.Devices.Requests[0].Exactly.Count = -1
	if err := withAgent(group("g", 3), claim).Validate(); err == nil || !strings.Contains(err.Error(), "claims[0] (agent-claim): count: it must not be negative") {
		t.Errorf("got %v", err)
	}
}

// With the gate disabled, pods with extended resources of classes were placed anywhere.
func TestExtendedResourcesThatTheClusterDoesNotServe(t *testing.T) {
	w := world().withNode(node("a"), slice("a", 2)).withPod(extended("p", "deviceclass.resource.kubernetes.io/any"))
	features := scheduler.AllFeatures()
	features.ExtendedResource = false
	s, err := New(t.Context(), w.Objects, Config{Features: &features})
	if err != nil {
		t.Fatal(err)
	}
	placements, err := s.Place(t.Context(), s.Pending())
	if err != nil || placements[0].Node != "" || !strings.Contains(placements[0].Reason, "Insufficient deviceclass.resource.kubernetes.io/any") {
		t.Errorf("%+v and error %v", placements, err)
	}
}

// After the predicted nodes were added, further new nodes got the same names, and there was no second
// answer.
func TestNamesThatAreTakenAreLeftOut(t *testing.T) {
	growth := grow(t, world().withNode(node("g-new-1")).withNode(node("g-new-3")).withPods(2, one), group("g", 1))
	if want := []string{"g-new-2", "g-new-4"}; !slices.Equal(growth.Names[0], want) || growth.Placements[1].Node != "g-new-4" {
		t.Errorf("%+v, want %v", growth, want)
	}
}

// Pods were placed on nodes without the declared features they need.
func TestDeclaredFeatures(t *testing.T) {
	w := world().withPod(using("p")).eachPod(func(p *v1.Pod) { p.Spec.HostNetwork, p.Spec.HostUsers = true, ptr.To(false) })
	declaring := group("h", 0)
	declaring.Node.Status.DeclaredFeatures = []string{"UserNamespacesHostNetworkSupport"}
	if growth := grow(t, w, group("g", 0), costing(declaring, 9)); !slices.Equal(growth.Counts, []int{0, 1}) {
		t.Errorf("%+v", growth)
	}
	s, err := New(t.Context(), w.Objects, Config{NoDeclaredFeatures: true})
	if err != nil {
		t.Fatal(err)
	}
	if growth, err := s.Grow(t.Context(), s.Pending(), []*Group{group("g", 0)}); err != nil || growth.Counts[0] != 1 {
		t.Errorf("%+v and error %v", growth, err)
	}
}

// Device taints were enabled for clusters with the gate disabled.
func TestFeaturesOfTheCluster(t *testing.T) {
	w := world().withPods(2, one)
	tainted := group("g", 2, each(func(_ int, d *resourceapi.Device) {
		d.Taints = []resourceapi.DeviceTaint{{Key: "broken", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
	}))
	if growth := grow(t, w, tainted); len(growth.Unserved()) != 2 {
		t.Errorf("with taints: %+v", growth)
	}
	features := scheduler.AllFeatures()
	features.DeviceTaints = false
	s, err := New(t.Context(), w.Objects, Config{Features: &features})
	if err != nil {
		t.Fatal(err)
	}
	if growth, err := s.Grow(t.Context(), s.Pending(), []*Group{tainted}); err != nil || growth.Counts[0] != 1 {
		t.Errorf("without taints: %+v and error %v", growth, err)
	}
}
