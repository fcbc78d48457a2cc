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

package whatif

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/simulation"
)

const (
	driver   = "driver.example.com"
	devices  = 8 // of an existing node
	kinds    = 20
	nGroups  = 10
	smallest = 4 // devices of a node of the first group; each further group has one more
)

// Pods is the number of waiting pods.
const Pods = 1000

// Problem returns a cluster of nodes whose devices are all in use, with waiting pods of 20 kinds,
// each with its own claim for one to four devices, and the groups that can grow. Nodes of all
// groups cost the same, so cost is the number of nodes, unless the caller sets other costs.
func Problem(nodes int) (simulation.Objects, []*simulation.Group) {
	var objects simulation.Objects
	objects.Classes = []*resourceapi.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "any"}}}
	for i := range nodes {
		name := fmt.Sprintf("node-%04d", i)
		objects.Nodes = append(objects.Nodes, node(name))
		objects.Slices = append(objects.Slices, slice(name, devices))
		for d := range devices {
			running(&objects, name, d)
		}
	}
	for i := range Pods {
		kind := i % kinds
		name := fmt.Sprintf("waiting-%04d", i)
		claim := claimFor(name, int64(1+kind%4))
		if kind >= kinds/2 {
			claim.Spec.Devices.Requests[0].Exactly.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{
				Expression: `device.attributes["driver.example.com"].model == "b"`,
			}}}
		}
		pod := podWith(name, claim)
		pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(int64(100+kind), resource.DecimalSI)}
		objects.Pods, objects.Claims = append(objects.Pods, pod), append(objects.Claims, claim)
	}
	var groups []*simulation.Group
	for i := range nGroups {
		name := fmt.Sprintf("group-%d", i)
		template := name + "-template"
		groups = append(groups, &simulation.Group{Name: name, Template: simulation.Template{
			Node: node(template), Slices: []*resourceapi.ResourceSlice{slice(template, smallest+i)},
		}})
	}
	return objects, groups
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-" + name), ResourceVersion: "1"}
}

func node(name string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: meta(name)}
	n.Namespace, n.Labels = "", map[string]string{corev1.LabelHostname: name}
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("32Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	return n
}

// slice has devices of models a and b alternately.
func slice(node string, devices int) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{ObjectMeta: meta("slice-" + node), Spec: resourceapi.ResourceSliceSpec{
		Driver: driver, NodeName: ptr.To(node), Pool: resourceapi.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1},
	}}
	s.Namespace = ""
	for i := range devices {
		s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{
			Name:       fmt.Sprintf("dev-%d", i),
			Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"model": {StringValue: ptr.To(string("ab"[i%2]))}},
		})
	}
	return s
}

// claimFor is the claim of a pod, as if generated from a template.
func claimFor(pod string, count int64) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: meta(pod + "-claim")}
	claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod, UID: meta(pod).UID, Controller: ptr.To(true)}}
	claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r", Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: "any", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
	}}}
	return claim
}

func podWith(name string, claim *resourceapi.ResourceClaim) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: meta(name),
		Spec: corev1.PodSpec{
			Containers:     []corev1.Container{{Name: "c"}},
			ResourceClaims: []corev1.PodResourceClaim{{Name: "claim", ResourceClaimTemplateName: ptr.To("template")}},
		},
		Status: corev1.PodStatus{ResourceClaimStatuses: []corev1.PodResourceClaimStatus{{Name: "claim", ResourceClaimName: ptr.To(claim.Name)}}},
	}
}

// running adds a pod using a device of a node.
func running(objects *simulation.Objects, node string, device int) {
	name := fmt.Sprintf("%s-%d", node, device)
	claim := claimFor(name, 1)
	claim.Status = resourceapi.ResourceClaimStatus{
		Allocation: &resourceapi.AllocationResult{
			NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
				{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}},
			}}}},
			Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
				{Request: "r", Driver: driver, Pool: node, Device: fmt.Sprintf("dev-%d", device)},
			}},
		},
		ReservedFor: []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: name, UID: meta(name).UID}},
	}
	pod := podWith(name, claim)
	pod.Spec.NodeName = node
	objects.Pods, objects.Claims = append(objects.Pods, pod), append(objects.Claims, claim)
}
