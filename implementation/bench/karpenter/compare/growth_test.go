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

package compare

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/difftest"
	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/implementation/simulation"
)

// pods has a pod for any device, then one for a device of model a, and a group whose nodes have two
// devices, the first of model a. cpu are the pods' CPU requests.
func pods(t *testing.T, cpu ...string) (simulation.Objects, []*simulation.Group, *problem.Problem) {
	t.Helper()
	p := &problem.Problem{Nodes: []problem.Node{{Name: "node-0"}}}
	p.Classes = []resourceapi.DeviceClass{{}}
	p.Classes[0].Name = "any"
	slice := resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{
		Driver: "d", NodeName: ptr.To("node-0"), Pool: resourceapi.ResourcePool{Name: "node-0", Generation: 1, ResourceSliceCount: 1},
		Devices: []resourceapi.Device{{Name: "dev-0"}, {Name: "dev-1"}},
	}}
	slice.Name = "slice"
	slice.Spec.Devices[0].Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"a": {BoolValue: ptr.To(true)}}
	p.Slices = []resourceapi.ResourceSlice{slice}
	objects, groups := newWorld(p)
	for i, expression := range []string{"true", `"a" in device.attributes["d"]`} {
		claim := &resourceapi.ResourceClaim{}
		claim.Namespace, claim.Name, claim.ResourceVersion = "default", "claim", "1"
		claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r", Exactly: &resourceapi.ExactDeviceRequest{
			DeviceClassName: "any", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1,
			Selectors: []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}},
		}}}
		pod, own := podFor(claim, i)
		pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu[i])}
		objects.Pods, objects.Claims = append(objects.Pods, pod), append(objects.Claims, own)
	}
	return objects, groups, p
}

// Karpenter takes the largest pod first, the scheduler the oldest: here the first pod takes the
// device needed by the second one, leaving it pending on karpenter's only node. If the first pod is
// the largest, both need two nodes.
func TestOrderOfPods(t *testing.T) {
	for _, test := range []struct {
		name string
		cpu  []string
		want Growth
	}{
		{"the second is larger", []string{"1", "2"}, Growth{Problems: 1, Pods: 2, MoreNodes: 1, Order: 1}},
		{"the first is larger", []string{"2", "1"}, Growth{Problems: 1, Pods: 2, Same: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			objects, groups, p := pods(t, test.cpu...)
			got := Growth{Explained: map[string]int{}}
			found, err := got.problem(t.Context(), config(difftest.NewOwn(), 0), objects, groups, p)
			if err != nil || found != nil || got.MoreNodes != test.want.MoreNodes || got.Order != test.want.Order || got.Same != test.want.Same {
				t.Errorf("%+v, found %+v, error %v; want %+v", got, found, err, test.want)
			}
		})
	}
}

// If karpenter's nodes suffice for the scheduler, we must find them, too.
func TestNodesThatDoAreFound(t *testing.T) {
	objects, groups, p := pods(t, "2", "1")
	theirs, _, err := provision(t.Context(), objects, groups)
	if err != nil {
		t.Fatal(err)
	}
	growth := Growth{Explained: map[string]int{}}
	found, err := growth.explain(t.Context(), config(difftest.NewOwn(), 0), objects, groups, theirs, p)
	if err != nil || found == nil || !strings.Contains(found.What, "on karpenter's 2 new nodes we place as many pods") {
		t.Errorf("found %+v, error %v", found, err)
	}
}

// Karpenter gave four shares of one device to one request. That was explained by a better pod
// order, because other devices would have been enough for its pods.
func TestDevicesThatKarpenterGaveAreJudged(t *testing.T) {
	c := config(difftest.NewOwn(), 1)
	c.First = 794
	growth, err := RunGrowth(t.Context(), c)
	if err != nil || growth.MoreNodes != 1 || growth.Order != 0 || growth.Explained["a device more than once for a request"] != 1 {
		t.Errorf("%+v of problem %d, error %v", growth, c.First, err)
	}
}
