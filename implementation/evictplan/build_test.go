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

package evictplan_test

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/evictplan"
)

// begin is when taints were added.
var begin = time.Unix(1000, 0)

// pod returns a running pod with the UID of its name plus "-uid".
func pod(name string, change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name + "-uid")}}
	p.Spec.NodeName = "worker"
	for _, f := range change {
		f(p)
	}
	return p
}

func withClaim(name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: name, ResourceClaimName: &name})
	}
}

func withTemplate(name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: name, ResourceClaimTemplateName: new("template")})
		p.Status.ResourceClaimStatuses = append(p.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: name, ResourceClaimName: &name})
	}
}

func withExtended(name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: name}
	}
}

// claim returns a claim with the device "dev" of the pool "pool" for a pod.
func claim(name string, user *corev1.Pod, change ...func(*resourceapi.ResourceClaim)) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
	c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
		Results: []resourceapi.DeviceRequestAllocationResult{{Request: "req", Driver: "driver", Pool: "pool", Device: "dev"}}}}
	c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: user.Name, UID: user.UID}}
	for _, f := range change {
		f(c)
	}
	return c
}

func ownedBy(p *corev1.Pod) func(*resourceapi.ResourceClaim) {
	return func(c *resourceapi.ResourceClaim) {
		c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: p.Name, UID: p.UID, Controller: new(true)}}
	}
}

func device(name string) func(*resourceapi.ResourceClaim) {
	return func(c *resourceapi.ResourceClaim) { c.Status.Allocation.Devices.Results[0].Device = name }
}

func tolerates(tolerations ...resourceapi.DeviceToleration) func(*resourceapi.ResourceClaim) {
	return func(c *resourceapi.ResourceClaim) { c.Status.Allocation.Devices.Results[0].Tolerations = tolerations }
}

// toleration of NoExecute taints with a key; less than 0 seconds means forever.
func toleration(key string, seconds int64) resourceapi.DeviceToleration {
	t := resourceapi.DeviceToleration{Key: key, Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoExecute}
	if seconds >= 0 {
		t.TolerationSeconds = &seconds
	}
	return t
}

func taint(key string, effect resourceapi.DeviceTaintEffect) resourceapi.DeviceTaint {
	return resourceapi.DeviceTaint{Key: key, Effect: effect, TimeAdded: &metav1.Time{Time: begin}}
}

func noExecute(key string) resourceapi.DeviceTaint {
	return taint(key, resourceapi.DeviceTaintEffectNoExecute)
}

// slice returns a slice of the pool "pool" with the device "dev".
func slice(name string, generation int64, taints ...resourceapi.DeviceTaint) *resourceapi.ResourceSlice {
	return &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourceapi.ResourceSliceSpec{
		Driver: "driver", Pool: resourceapi.ResourcePool{Name: "pool", Generation: generation}, Devices: []resourceapi.Device{{Name: "dev", Taints: taints}}}}
}

// rule returns a rule selecting devices by name.
func rule(name, device string, taint resourceapi.DeviceTaint) *resourceapi.DeviceTaintRule {
	return &resourceapi.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name + "-uid"), Generation: 1},
		Spec: resourceapi.DeviceTaintRuleSpec{DeviceSelector: &resourceapi.DeviceTaintSelector{Device: &device}, Taint: taint}}
}

// world has slices, rules and claims.
func world(slices []*resourceapi.ResourceSlice, rules []*resourceapi.DeviceTaintRule, claims ...*resourceapi.ResourceClaim) evictplan.World {
	w := evictplan.World{Pools: &evictplan.Pools{}, Rules: rules, Claim: func(namespace, name string) *resourceapi.ResourceClaim {
		for _, c := range claims {
			if c.Namespace == namespace && c.Name == name {
				return c
			}
		}
		return nil
	}}
	for _, s := range slices {
		w.Pools.Set(nil, s)
	}
	return w
}

func some[T any](all ...T) []T { return all }
