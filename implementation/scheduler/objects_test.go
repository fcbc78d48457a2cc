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

package scheduler

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const driver = "driver.example.com"

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name)}
}

func clusterNamed(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name)}
}

func node(name string) *v1.Node {
	n := &v1.Node{ObjectMeta: clusterNamed(name)}
	n.Labels = map[string]string{v1.LabelHostname: name}
	return n
}

// plugged is a node with a device plugin for a resource.
func plugged(name string, resourceName v1.ResourceName, count string) *v1.Node {
	n := node(name)
	n.Status.Allocatable = v1.ResourceList{resourceName: resource.MustParse(count)}
	return n
}

// slice has devices device-0, device-1, … on a node.
func slice(nodeName string, devices int, change ...func(*resourceapi.Device)) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{
		ObjectMeta: clusterNamed("slice-" + nodeName),
		Spec: resourceapi.ResourceSliceSpec{
			Driver: driver, NodeName: ptr.To(nodeName),
			Pool: resourceapi.ResourcePool{Name: nodeName, Generation: 1, ResourceSliceCount: 1},
		},
	}
	for i := range devices {
		device := resourceapi.Device{Name: fmt.Sprintf("device-%d", i)}
		for _, c := range change {
			c(&device)
		}
		s.Spec.Devices = append(s.Spec.Devices, device)
	}
	return s
}

func class(name string, change ...func(*resourceapi.DeviceClass)) *resourceapi.DeviceClass {
	c := &resourceapi.DeviceClass{ObjectMeta: clusterNamed(name)}
	for _, f := range change {
		f(c)
	}
	return c
}

// extendedClass serves an extended resource.
func extendedClass(name, resourceName string) *resourceapi.DeviceClass {
	return class(name, func(c *resourceapi.DeviceClass) { c.Spec.ExtendedResourceName = ptr.To(resourceName) })
}

// asking is a claim for a number of devices of class "class".
func asking(name string, count int64, change ...func(*resourceapi.ResourceClaim)) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: named(name)}
	c.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "request", Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: "class", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
	}}}
	for _, f := range change {
		f(c)
	}
	return c
}

// selecting adds a CEL selector to the only request.
func selecting(expression string) func(*resourceapi.ResourceClaim) {
	return func(c *resourceapi.ResourceClaim) {
		c.Spec.Devices.Requests[0].Exactly.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}}
	}
}

// alternatives turns the only request into a list of alternatives for these classes.
func alternatives(classes ...string) func(*resourceapi.ResourceClaim) {
	return func(c *resourceapi.ResourceClaim) {
		c.Spec.Devices.Requests[0].Exactly = nil
		for _, name := range classes {
			c.Spec.Devices.Requests[0].FirstAvailable = append(c.Spec.Devices.Requests[0].FirstAvailable, resourceapi.DeviceSubRequest{
				Name: name, DeviceClassName: name, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1,
			})
		}
	}
}

// allocated gives a claim device-0 of a node.
func allocated(nodeName string) func(*resourceapi.ResourceClaim) {
	return func(c *resourceapi.ResourceClaim) {
		c.Finalizers = []string{resourceapi.Finalizer}
		c.Status.Allocation = &resourceapi.AllocationResult{
			Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
				{Request: "request", Driver: driver, Pool: nodeName, Device: "device-0"},
			}},
			NodeSelector: onNode(nodeName),
		}
	}
}

func onNode(name string) *v1.NodeSelector {
	return &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
		MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{name}}},
	}}}
}

func reservedFor(pods ...string) func(*resourceapi.ResourceClaim) {
	return func(c *resourceapi.ResourceClaim) {
		for _, name := range pods {
			c.Status.ReservedFor = append(c.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: name, UID: types.UID("uid-" + name)})
		}
	}
}

// using is a pod with references to claims.
func using(name string, claims ...string) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: named(name)}
	for _, claim := range claims {
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, v1.PodResourceClaim{Name: claim, ResourceClaimName: ptr.To(claim)})
	}
	pod.Spec.Containers = []v1.Container{{Name: "container"}}
	return pod
}

// wanting is a pod with one container requesting an extended resource.
func wanting(name string, resourceName v1.ResourceName, count string) *v1.Pod {
	pod := using(name)
	pod.Spec.Containers[0].Resources.Requests = v1.ResourceList{resourceName: resource.MustParse(count)}
	return pod
}

// devicesOf returns "pool/device" for each device of a claim.
func devicesOf(claim *resourceapi.ResourceClaim) []string {
	var devices []string
	if claim.Status.Allocation != nil {
		for _, r := range claim.Status.Allocation.Devices.Results {
			devices = append(devices, r.Pool+"/"+r.Device)
		}
	}
	return devices
}
