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
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// stuck is a cluster with pod "p" unable to run on node a, where its claim has a device. user, if set,
// has the claim reserved, too.
func stuck(user string) *cluster {
	w := world().withNode(node("a", func(n *v1.Node) { n.Spec.Unschedulable = true }), slice("a", 1)).withNode(node("b"), slice("b", 1))
	w.withPod(using("p", "x"), one("x")).running("a", "dev-0")
	w.Pods[0].Spec.NodeName, w.Claims[0].Status.ReservedFor = "", nil
	if user != "" {
		w.Claims[0].Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: user, UID: "uid-other"}}
	}
	return w
}

// An unused allocation blocked a pod from all nodes. The scheduler deallocates it, but the pod was
// reported as unschedulable.
func TestAllocationThatKeepsAPodFromNodesIsTakenBack(t *testing.T) {
	s := stuck("").simulate(t)
	for range 2 { // nothing is changed
		s.Fork()
		placements, err := s.Place(t.Context(), s.Pending())
		if err != nil || placements[0].Node != "b" || devicesOf(placements[0]) != "b/dev-0 " {
			t.Errorf("%+v and error %v", placements, err)
		}
		s.Revert()
	}
	placements, err := stuckIn(t, stuck("other"))
	if err != nil || placements[0].Node != "" || !strings.Contains(placements[0].Reason, "not available on the node") {
		t.Errorf("a claim that is in use was taken back: %+v and error %v", placements, err)
	}
}

func stuckIn(t *testing.T, c *cluster) ([]Placement, error) {
	t.Helper()
	s := c.simulate(t)
	return s.Place(t.Context(), s.Pending())
}

// takenBackLate is a cluster whose last pod, "z", has the only device usable by waiting others until
// PostFilter frees it.
func takenBackLate(waiting int) *cluster {
	w := stuck("")
	w.Nodes[0].Spec.Unschedulable = false
	w.Slices = w.Slices[:1] // node b has no device
	w.Pods[0].Spec.NodeSelector = map[string]string{v1.LabelHostname: "b"}
	w.Pods[0].Name = "z" // after the others
	return w.withPods(waiting, one)
}

// Pods tried before PostFilter freed a device were not retried: nodes were bought in vain, and a node
// was reported as needed.
func TestDevicesThatAreTakenBackServeOthers(t *testing.T) {
	s := takenBackLate(1).simulate(t)
	growth, err := s.Grow(t.Context(), s.Pending(), []*Group{group("g", 1)})
	if err != nil || growth.Counts[0] != 0 || growth.Bound != 0 || growth.Placements[0].Node != "a" || len(growth.Unserved()) != 1 {
		t.Errorf("%+v and error %v", growth, err)
	}
	placements, err := s.Place(t.Context(), s.Pending())
	if err != nil || placements[0].Node != "a" || placements[0].Reason != "" || placements[1].Node != "" {
		t.Errorf("%+v and error %v", placements, err)
	}
}

// The same when a node is removed: its pod had no other node.
func TestShrinkWithDevicesThatAreTakenBack(t *testing.T) {
	w := takenBackLate(0)
	w.withNode(node("c"), slice("c", 1)).withPod(using("early", "y"), one("y")).running("c", "dev-0")
	w.withPod(using("late", "x2"), one("x2")).running("c", "dev-0")
	// Pod "late" has a device outside of node c, so it cannot move to any other node.
	late := w.Claims[len(w.Claims)-1]
	*late = *w.Claims[0].DeepCopy()
	late.ObjectMeta = meta("x2")
	w.Pods[0].Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "gate"}}
	w.Pods[len(w.Pods)-1].Spec.NodeSelector = map[string]string{v1.LabelHostname: "b"}
	w.Claims = w.Claims[1:]
	d, err := w.simulate(t).Shrink(t.Context(), "c")
	if err != nil || len(d.Moved) != 2 || d.Moved[0].Node != "a" {
		t.Errorf("%+v and error %v", d, err)
	}
}

// Two equal pods wait for a device freed once a node is there: devices freed while trying nodes also
// serve kinds that were full.
func TestKindsThatWereFullAreTriedAgain(t *testing.T) {
	s := takenBackLate(2).simulate(t)
	growth, err := s.Grow(t.Context(), s.Pending(), []*Group{group("g", 1)})
	if err != nil || growth.Counts[0] != 1 || growth.Bound != 1 || len(growth.Unserved()) != 1 {
		t.Errorf("%+v and error %v", growth, err)
	}
	g := &growing{Simulation: s, kindOf: make(map[*v1.Pod]int)}
	pods := s.Pending()
	g.kinds = []kind{{pods: pods[:2]}, {pods: pods[2:]}}
	g.kindOf[pods[2]] = 1
	all, err := g.placeAll(t.Context(), pods)
	if err != nil || all[pods[0]].Node != "a" || len(all) != 1 {
		t.Errorf("%+v and error %v", all, err)
	}
}

// The claim for extended resources of an earlier attempt blocked the pod from all nodes; the scheduler
// deletes it.
func TestClaimOfAnEarlierAttemptIsDeleted(t *testing.T) {
	w := world().withNode(node("a"), slice("a", 2)).withPod(extended("p", "deviceclass.resource.kubernetes.io/any"))
	left := one("p-extended-resources-abcde")
	left.Annotations = map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"}
	left.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "p", UID: w.Pods[0].UID, Controller: ptr.To(true)}}
	left.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
		Results: []resourceapi.DeviceRequestAllocationResult{{Request: "r", Driver: driver, Pool: "a", Device: "dev-0"}},
	}}
	w.Claims = append(w.Claims, left)
	placements, err := stuckIn(t, w)
	if err != nil || placements[0].Node != "a" || devicesOf(placements[0]) != "a/dev-0 a/dev-1 " {
		t.Errorf("%+v and error %v", placements, err)
	}
	// Another finalizer keeps the claim, and its devices were given to other pods.
	left.Finalizers = []string{resourceapi.Finalizer, "example.com/keep"}
	if placements, err = stuckIn(t, w); err != nil || placements[0].Node != "" || !strings.Contains(placements[0].Reason, "cannot schedule extended resource claim") {
		t.Errorf("%+v and error %v", placements, err)
	}
}

// Nodes are only needed for the pods left after the deallocation.
func TestGrowWithAnAllocationThatIsTakenBack(t *testing.T) {
	w := stuck("")
	w.Nodes[1].Spec.Unschedulable = true
	s := w.simulate(t)
	growth, err := s.Grow(t.Context(), s.Pending(), []*Group{group("g", 1)})
	if err != nil || len(growth.Unserved()) > 0 || growth.Counts[0] != 1 {
		t.Errorf("%+v and error %v", growth, err)
	}
}
