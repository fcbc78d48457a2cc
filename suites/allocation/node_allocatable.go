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

package allocation

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// noMemory is the scheduler's message for nodes with too little memory.
const noMemory = "Insufficient memory"

// part returns this many hundredths of the first node's allocatable memory.
func part(t *harness.T, hundredths int64) *resource.Quantity {
	node, err := t.Client.CoreV1().Nodes().Get(t.Context(), t.Nodes[0], metav1.GetOptions{})
	t.NoError(err, "get node %s", t.Nodes[0])
	return resource.NewQuantity(node.Status.Allocatable.Memory().Value()/100*hundredths, resource.BinarySI)
}

// standing returns a device mapped to memory of its node.
func standing(name string, of resourceapi.NodeAllocatableResource) resourceapi.Device {
	d := device(name, map[string]any{"name": name})
	d.NodeAllocatableResources = map[corev1.ResourceName]resourceapi.NodeAllocatableResource{corev1.ResourceMemory: of}
	return d
}

// twice returns a pod on the first node with two containers, both using a claim.
func twice(t *harness.T, name, claim string) *corev1.Pod {
	pod := objects.OnlyOn(objects.Pod(name, t.Image, claim), t.Nodes[0])
	pod.Spec.Containers = append(pod.Spec.Containers, objects.Container("second", t.Image, objects.Stay, claim))
	return pod
}

// plain returns a pod without claims requesting memory of the first node.
func plain(t *harness.T, name string, memory *resource.Quantity) *corev1.Pod {
	pod := objects.OnlyOn(objects.Pod(name, t.Image), t.Nodes[0])
	pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: *memory}
	return pod
}

// MappedResources uses devices mapped to a part of their node's memory: the number of devices, or the consumed
// capacity, times the multiplier. It counts once for a claim, however many containers use it, and such a claim is not
// shared by pods.
var MappedResources = harness.Case{Meta: spec.Meta{
	ID:       "allocation/mapped-resources",
	Checks:   "Mapped devices take their amount of node resources once per claim; a pod waits if its node has too little.",
	Requires: []spec.RequirementID{"kep-5517/mapping-counted-once", "kep-5517/mapped-claim-not-shared", "kep-5517/mapping-multiplied", "kep-5517/mapping-must-fit"},
	Needs:    spec.Needs{NoKubelet: true, Alone: true, Since: "1.37", Features: []spec.Feature{spec.NodeAllocatable, spec.ConsumableCapacity}},
	// Other pods would change the node's free memory.
	SerialBecause: "It uses most of a node's memory.",
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	third := resourceapi.NodeAllocatableResource{Mapping: &resourceapi.NodeAllocatableMapping{DeviceMultiplier: part(t, 30)}}
	byCapacity := standing("capacity", resourceapi.NodeAllocatableResource{Mapping: &resourceapi.NodeAllocatableMapping{
		CapacityKey: ptr.To(resourceapi.QualifiedName(t.DriverName() + "/shares")), CapacityMultiplier: part(t, 10),
	}})
	byCapacity.AllowMultipleAllocations = ptr.To(true)
	byCapacity.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{resourceapi.QualifiedName(t.DriverName() + "/shares"): {Value: resource.MustParse("8")}}
	large := resourceapi.NodeAllocatableResource{Mapping: &resourceapi.NodeAllocatableMapping{DeviceMultiplier: part(t, 110)}}
	t.Publish("pool", t.Nodes[0], standing("a", third), standing("b", third), byCapacity, standing("large", large))
	small := t.Attribute("name") + " in ['a', 'b']"

	t.Create(objects.Claim("large", objects.Request("req", class, t.Attribute("name")+" == 'large'")), twice(t, "large", "large"))
	t.WaitUnschedulable("large", noMemory)
	t.Create(objects.Claim("two", count("req", class, 2, small)), twice(t, "two", "two"))
	pod := t.WaitScheduled("two") // 60 hundredths; 120 if each container counted
	t.Expect(mapped(pod)).To(gomega.Equal(part(t, 60).Value()), "memory of two devices in the pod's status")
	t.Expect(pod.Status.NodeAllocatableResourceClaimStatuses[0].Containers).To(gomega.ConsistOf("main", "second"), "containers in the pod's status")
	t.Create(plain(t, "plain", part(t, 60)))
	t.WaitUnschedulable("plain", noMemory)
	t.Create(objects.OnlyOn(objects.Pod("sharing", t.Image, "two"), t.Nodes[0]))
	t.WaitUnschedulable("sharing", "cannot be shared")
	t.RemovePod("two")
	t.RemovePod("sharing")
	t.WaitScheduled("plain")
	t.RemovePod("plain")

	unused := objects.OnlyOn(objects.Pod("unused", t.Image, "unused"), t.Nodes[0])
	unused.Spec.Containers[0].Resources.Claims = nil
	t.Create(objects.Claim("unused", count("req", class, 2, small)), unused)
	t.WaitScheduled("unused")
	t.Create(plain(t, "beside-unused", part(t, 60)))
	t.WaitUnschedulable("beside-unused", noMemory)
	t.RemovePod("beside-unused")
	t.RemovePod("unused")

	shares := objects.Claim("shares", objects.Request("req", class, t.Attribute("name")+" == 'capacity'"))
	shares.Spec.Devices.Requests[0].Exactly.Capacity = &resourceapi.CapacityRequirements{
		Requests: map[resourceapi.QualifiedName]resource.Quantity{resourceapi.QualifiedName(t.DriverName() + "/shares"): resource.MustParse("5")},
	}
	t.Create(shares, twice(t, "shares", "shares"))
	t.Expect(mapped(t.WaitScheduled("shares"))).To(gomega.Equal(5*part(t, 10).Value()), "memory of a device with 5 used shares")
}}

// mapped returns the memory of a pod's only claim.
func mapped(pod *corev1.Pod) int64 {
	for _, s := range pod.Status.NodeAllocatableResourceClaimStatuses {
		for _, m := range s.Mapping {
			if m.Name == corev1.ResourceMemory {
				return m.Quantity.Value()
			}
		}
	}
	return 0
}

// DeviceOverhead uses devices with memory overhead. A claim with nothing but overhead is shared as long as the node
// has the memory for each pod; one with a mapping as well is not.
var DeviceOverhead = harness.Case{Meta: spec.Meta{
	ID:            "allocation/device-overhead",
	Checks:        "Device overhead takes node resources for each pod, and for each container that refers to the claim.",
	Requires:      []spec.RequirementID{"kep-5517/overhead-per-pod", "kep-5517/overhead-from-node", "kep-5517/overhead-sum", "kep-5517/mapped-claim-not-shared"},
	Needs:         spec.Needs{NoKubelet: true, Alone: true, Since: "1.37", Features: []spec.Feature{spec.NodeAllocatable}},
	SerialBecause: "It uses most of a node's memory.",
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	overhead := &resourceapi.NodeAllocatableOverhead{PerPod: part(t, 20), PerContainer: part(t, 10)}
	t.Publish("pool", t.Nodes[0], standing("costs", resourceapi.NodeAllocatableResource{Overhead: overhead}),
		standing("both", resourceapi.NodeAllocatableResource{Overhead: overhead, Mapping: &resourceapi.NodeAllocatableMapping{DeviceMultiplier: part(t, 30)}}))
	claim := func(name string) *resourceapi.ResourceClaim {
		return objects.Claim(name, objects.Request("req", class, t.Attribute("name")+" == '"+name+"'"))
	}

	t.Create(claim("costs"), twice(t, "first", "costs"))
	t.WaitScheduled("first") // 20 + 2*10
	t.Create(twice(t, "second", "costs"))
	t.WaitScheduled("second") // 40 more of the same claim
	t.Create(twice(t, "third", "costs"))
	t.WaitUnschedulable("third", noMemory)
	t.RemovePod("third")
	t.RemovePod("second")
	t.Create(plain(t, "plain", part(t, 50)))
	t.WaitScheduled("plain") // 40 are in use, and 10 are left for other pods
	t.RemovePod("plain")
	t.RemovePod("first")

	t.Create(claim("both"), twice(t, "both", "both"))
	t.WaitScheduled("both") // 30 + 20 + 2*10
	t.Create(objects.OnlyOn(objects.Pod("sharing", t.Image, "both"), t.Nodes[0]))
	t.WaitUnschedulable("sharing", "cannot be shared")
	t.Create(plain(t, "beside", part(t, 40)))
	t.WaitUnschedulable("beside", noMemory)
	t.Create(plain(t, "less", part(t, 15)))
	t.WaitScheduled("less")
}}
