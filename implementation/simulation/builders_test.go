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
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const driver = "driver.example.com"

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name), ResourceVersion: "1"}
}

func node(name string, change ...func(*v1.Node)) *v1.Node {
	n := &v1.Node{ObjectMeta: meta(name)}
	n.Namespace, n.Labels = "", map[string]string{v1.LabelHostname: name}
	n.Status.Allocatable = v1.ResourceList{v1.ResourceCPU: resource.MustParse("8"), v1.ResourceMemory: resource.MustParse("32Gi"), v1.ResourcePods: resource.MustParse("110")}
	for _, c := range change {
		c(n)
	}
	return n
}

// slice has devices dev-0, dev-1, … on a node, in a pool of the same name.
func slice(nodeName string, devices int, change ...func(*resourceapi.ResourceSlice)) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{ObjectMeta: meta("slice-" + nodeName), Spec: resourceapi.ResourceSliceSpec{
		Driver: driver, NodeName: ptr.To(nodeName), Pool: resourceapi.ResourcePool{Name: nodeName, Generation: 1, ResourceSliceCount: 1},
	}}
	for i := range devices {
		s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: fmt.Sprintf("dev-%d", i)})
	}
	for _, c := range change {
		c(s)
	}
	return s
}

// each changes all devices.
func each(change func(i int, d *resourceapi.Device)) func(*resourceapi.ResourceSlice) {
	return func(s *resourceapi.ResourceSlice) {
		for i := range s.Spec.Devices {
			change(i, &s.Spec.Devices[i])
		}
	}
}

func class(name string) *resourceapi.DeviceClass {
	c := &resourceapi.DeviceClass{ObjectMeta: meta(name)}
	c.Namespace = ""
	return c
}

// asking is a claim for some devices of class "any".
func asking(name string, count int64, change ...func(*resourceapi.ResourceClaim)) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: meta(name)}
	c.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r", Exactly: exactly(count)}}
	for _, f := range change {
		f(c)
	}
	return c
}

func exactly(count int64) *resourceapi.ExactDeviceRequest {
	return &resourceapi.ExactDeviceRequest{DeviceClassName: "any", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count}
}

func request(change func(*resourceapi.DeviceRequest)) func(*resourceapi.ResourceClaim) {
	return func(c *resourceapi.ResourceClaim) { change(&c.Spec.Devices.Requests[0]) }
}

func selecting(expression string) []resourceapi.DeviceSelector {
	return []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}}
}

func using(name string, claims ...string) *v1.Pod {
	p := &v1.Pod{ObjectMeta: meta(name), Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c"}}}}
	for i, c := range claims {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, v1.PodResourceClaim{Name: fmt.Sprint("claim-", i), ResourceClaimName: ptr.To(c)})
	}
	return p
}

type cluster struct{ Objects }

func world() *cluster {
	c := &cluster{}
	c.Classes = append(c.Classes, class("any"))
	return c
}

func (c *cluster) withNode(n *v1.Node, slices ...*resourceapi.ResourceSlice) *cluster {
	c.Nodes, c.Slices = append(c.Nodes, n), append(c.Slices, slices...)
	return c
}

func (c *cluster) withPod(pod *v1.Pod, claims ...*resourceapi.ResourceClaim) *cluster {
	c.Pods, c.Claims = append(c.Pods, pod), append(c.Claims, claims...)
	return c
}

// withPods adds pods, each with its own claim, as from a template.
func (c *cluster) withPods(n int, claim func(name string) *resourceapi.ResourceClaim) *cluster {
	for range n {
		name := fmt.Sprintf("pod-%03d", len(c.Pods))
		pod, made := using(name), claim(name+"-claim")
		pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "claim", ResourceClaimTemplateName: ptr.To("template")}}
		pod.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "claim", ResourceClaimName: ptr.To(made.Name)}}
		made.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: name, UID: pod.UID, Controller: ptr.To(true)}}
		c.withPod(pod, made)
	}
	return c
}

// running binds the last pod to a node, with device dev-0 for its claims.
func (c *cluster) running(nodeName, device string) *cluster {
	pod := c.Pods[len(c.Pods)-1]
	pod.Spec.NodeName = nodeName
	for _, claim := range c.Claims {
		for i := range pod.Spec.ResourceClaims {
			if name := pod.Spec.ResourceClaims[i].ResourceClaimName; name == nil || *name != claim.Name {
				continue
			}
			claim.Status.Allocation = &resourceapi.AllocationResult{
				NodeSelector: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{nodeName}}}}}},
				Devices:      resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{{Request: "r", Driver: driver, Pool: nodeName, Device: device}}},
			}
			claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID})
		}
	}
	return c
}

func (c *cluster) simulate(t testing.TB) *Simulation {
	t.Helper()
	s, err := New(t.Context(), c.Objects, Config{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func group(name string, devices int, change ...func(*resourceapi.ResourceSlice)) *Group {
	return &Group{Name: name, Template: Template{Node: node(name + "-template"), Slices: []*resourceapi.ResourceSlice{slice(name+"-template", devices, change...)}}}
}

// devicesOf returns "pool/device" of all claims of a placement.
func devicesOf(p Placement) string {
	text := ""
	for _, c := range p.Claims {
		for _, r := range c.Status.Allocation.Devices.Results {
			text += r.Pool + "/" + r.Device + " "
		}
	}
	return text
}

type pod = v1.Pod
