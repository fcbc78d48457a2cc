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

package audit_test

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/audit"
)

// The good world: node n has devices whole-0 and whole-1, a GPU of 4 units in parts, and a shareable device of 8Gi;
// claim c has whole-0 for pod p on node n.

func goodWorld() audit.World {
	return audit.World{
		Claims: []resourceapi.ResourceClaim{claim("c", "p", device("whole-0"))},
		Slices: []resourceapi.ResourceSlice{slice(2), counters(2), stale()},
		Pods:   []corev1.Pod{pod("p", "c")},
		Nodes:  []corev1.Node{node("n"), node("m")},
		Classes: []resourceapi.DeviceClass{
			{ObjectMeta: meta("gpu"), Spec: resourceapi.DeviceClassSpec{ExtendedResourceName: ptr.To("example.com/gpu")}}, {ObjectMeta: meta("plain")},
		},
	}
}

func device(name string) resourceapi.DeviceRequestAllocationResult {
	return resourceapi.DeviceRequestAllocationResult{Request: "r", Driver: "d", Pool: "n", Device: name}
}

func share(amount string) resourceapi.DeviceRequestAllocationResult {
	r := device("shared")
	r.ShareID = ptr.To(types.UID("share-" + amount))
	r.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse(amount)}
	return r
}

// named records the capacity that a share has by these names.
func named(r resourceapi.DeviceRequestAllocationResult, names ...resourceapi.QualifiedName) resourceapi.DeviceRequestAllocationResult {
	amount := r.ConsumedCapacity["memory"]
	r.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{}
	for _, name := range names {
		r.ConsumedCapacity[name] = amount
	}
	return r
}

func admin(r resourceapi.DeviceRequestAllocationResult) resourceapi.DeviceRequestAllocationResult {
	r.AdminAccess = ptr.To(true)
	return r
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name), ResourceVersion: "1"}
}

// claim is allocated for node n; user "" means unused.
func claim(name, user string, results ...resourceapi.DeviceRequestAllocationResult) resourceapi.ResourceClaim {
	c := resourceapi.ResourceClaim{ObjectMeta: meta(name)}
	c.Finalizers = []string{resourceapi.Finalizer}
	c.Status.Allocation = &resourceapi.AllocationResult{
		Devices: resourceapi.DeviceAllocationResult{Results: results},
		NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"n"}}},
		}}},
	}
	if user != "" {
		c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: user, UID: types.UID("uid-" + user)}}
	}
	return c
}

func generated(c resourceapi.ResourceClaim, pod string, extended bool) resourceapi.ResourceClaim {
	c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod, UID: types.UID("uid-" + pod), Controller: ptr.To(true)}}
	if extended {
		c.Annotations = map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"}
	}
	return c
}

// free is an unallocated claim without finalizers.
func free(name string) resourceapi.ResourceClaim {
	return resourceapi.ResourceClaim{ObjectMeta: meta(name)}
}

func pod(name string, claims ...string) corev1.Pod {
	p := corev1.Pod{ObjectMeta: meta(name)}
	p.Spec.NodeName = "n"
	p.Status.Phase = corev1.PodRunning
	for _, c := range claims {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: c, ResourceClaimName: ptr.To(c)})
	}
	return p
}

// wants makes container main of a pod request one of each resource.
func wants(p *corev1.Pod, names ...corev1.ResourceName) {
	requests := corev1.ResourceList{}
	for _, name := range names {
		requests[name] = resource.MustParse("1")
	}
	p.Spec.Containers = []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Requests: requests}}}
}

func node(name string) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"zone": "zone-" + name}}}
	return n
}

func slice(generation int64) resourceapi.ResourceSlice {
	return resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{
		Driver: "d", Pool: resourceapi.ResourcePool{Name: "n", Generation: generation, ResourceSliceCount: 2}, NodeName: ptr.To("n"),
		Devices: []resourceapi.Device{
			{Name: "whole-0"}, {Name: "whole-1"}, part("half-0", "2"), part("half-1", "2"), part("all", "4"),
			{Name: "shared", AllowMultipleAllocations: ptr.To(true), Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
				"memory": {Value: resource.MustParse("8Gi")},
			}},
		},
	}}
}

func part(name, units string) resourceapi.Device {
	return resourceapi.Device{Name: name, ConsumesCounters: []resourceapi.DeviceCounterConsumption{{
		CounterSet: "gpu", Counters: map[string]resourceapi.Counter{"units": {Value: resource.MustParse(units)}},
	}}}
}

func counters(generation int64) resourceapi.ResourceSlice {
	s := slice(generation)
	s.Spec.Devices = nil
	s.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "gpu", Counters: map[string]resourceapi.Counter{"units": {Value: resource.MustParse("4")}}}}
	return s
}

// stale is of an older generation and has a removed device.
func stale() resourceapi.ResourceSlice {
	s := slice(1)
	s.Spec.Devices = []resourceapi.Device{{Name: "withdrawn"}}
	return s
}

func lines(found []audit.Violation) string {
	texts := make([]string, 0, len(found))
	for _, v := range found {
		texts = append(texts, v.String())
	}
	return strings.Join(texts, "\n")
}
