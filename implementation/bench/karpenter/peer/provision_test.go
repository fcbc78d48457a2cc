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

package peer

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/simulation"
)

func node8(name string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("10"),
		}},
	}
}

func sliceOf(node string, devices int) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice-" + node}, Spec: resourceapi.ResourceSliceSpec{
		Driver: "d", NodeName: ptr.To(node), Pool: resourceapi.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1},
	}}
	for i := range devices {
		s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: fmt.Sprint("dev-", i)})
	}
	return s
}

func groupOf(name string, cost int64, devices int) *simulation.Group {
	return &simulation.Group{Name: name, Cost: cost, Template: simulation.Template{
		Node: node8(name), Slices: []*resourceapi.ResourceSlice{sliceOf(name, devices)},
	}}
}

// wanting are pods requesting two devices each.
func wanting(pods int, cpu string) simulation.Objects {
	var objects simulation.Objects
	objects.Classes = []*resourceapi.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "any"}}}
	for i := range pods {
		claim := twoNodes(2).Claims[0].DeepCopy()
		claim.Name = fmt.Sprint("claim-", i)
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: fmt.Sprint("pod-", i), UID: types.UID(fmt.Sprint(i))}}
		pod.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}}}
		pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "claim", ResourceClaimName: &claim.Name}}
		objects.Pods, objects.Claims = append(objects.Pods, pod), append(objects.Claims, claim)
	}
	return objects
}

func TestProvision(t *testing.T) {
	here := wanting(3, "1")
	here.Nodes, here.Slices = []*corev1.Node{node8("old")}, []*resourceapi.ResourceSlice{sliceOf("old", 2)}
	full := wanting(3, "1")
	full.Nodes, full.Slices = here.Nodes, here.Slices
	full.Claims = append(full.Claims, allocated("running", resourceapi.DeviceRequestAllocationResult{Driver: "d", Pool: "old", Device: "dev-0"}))
	busy := wanting(3, "5")
	busy.Nodes, busy.Slices = here.Nodes, here.Slices
	busy.Pods = append(busy.Pods, wanting(1, "4").Pods[0].DeepCopy())
	busy.Pods[3].Spec.NodeName, busy.Pods[3].UID = "old", "running"
	for _, tc := range []struct {
		name    string
		objects simulation.Objects
		groups  []*simulation.Group
		nodes   int
		want    Growth
	}{
		{"two to a node", wanting(3, "1"), []*simulation.Group{groupOf("g", 5, 4)}, 2, Growth{Placed: 3, Cost: 10}},
		{"the cheapest that is left", wanting(3, "1"), []*simulation.Group{groupOf("small", 1, 2), groupOf("large", 5, 6)}, 1, Growth{Placed: 3, Cost: 5}},
		{"processors are short", wanting(3, "5"), []*simulation.Group{groupOf("g", 1, 8)}, 3, Growth{Placed: 3, Cost: 3}},
		{"a node is there", here, []*simulation.Group{groupOf("g", 1, 4)}, 1, Growth{Placed: 3, Existing: 1, Cost: 1}},
		{"its device is in use", full, []*simulation.Group{groupOf("g", 1, 4)}, 2, Growth{Placed: 3, Cost: 2}},
		{"its processors are in use", busy, []*simulation.Group{groupOf("g", 1, 4)}, 3, Growth{Placed: 3, Cost: 3}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Provision(t.Context(), tc.objects, tc.groups)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.New) != tc.nodes {
				t.Errorf("%d new nodes, want %d", len(got.New), tc.nodes)
			}
			for _, added := range got.New {
				for i, of := range added.Allocations {
					if len(of.Devices.Results) != 2 || added.Claims[i].Name == "" || of.Devices.Results[0].Pool != added.Group.Name {
						t.Errorf("devices of %v on %s: %+v", added.Claims[i], added.Group.Name, of)
					}
				}
			}
			got.New = nil
			if !reflect.DeepEqual(*got, tc.want) {
				t.Errorf("got %+v, want %+v", *got, tc.want)
			}
		})
	}
}

func TestProvisionRefuses(t *testing.T) {
	got, err := Provision(t.Context(), wanting(2, "1"), []*simulation.Group{groupOf("g", 1, 1)})
	if err != nil || got.Placed != 0 || len(got.New) != 0 || got.Refused == "" {
		t.Errorf("got %+v, error %v", got, err)
	}
}

func TestProvisionWithoutTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Provision(ctx, wanting(2, "1"), []*simulation.Group{groupOf("g", 1, 4)}); !errors.Is(err, ErrTooSlow) {
		t.Errorf("got %v", err)
	}
}
