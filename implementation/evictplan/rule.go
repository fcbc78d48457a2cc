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

package evictplan

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// RefOf names a rule.
func RefOf(rule *resourceapi.DeviceTaintRule) RuleRef { return RuleRef{rule.Name, rule.UID} }

// Selects reports whether a rule selects a device. A rule without a selector selects none, an empty
// selector all.
func Selects(rule *resourceapi.DeviceTaintRule, device DeviceID) bool {
	selector := rule.Spec.DeviceSelector
	return selector != nil &&
		(selector.Driver == nil || *selector.Driver == device.Driver) &&
		(selector.Pool == nil || *selector.Pool == device.Pool) &&
		(selector.Device == nil || *selector.Device == device.Device)
}

// SelectsAny reports whether a rule selects a device allocated to a claim.
func SelectsAny(rule *resourceapi.DeviceTaintRule, claim *resourceapi.ResourceClaim) bool {
	return selected(rule, claim) > 0
}

// selected counts a claim's devices selected by a rule.
func selected(rule *resourceapi.DeviceTaintRule, claim *resourceapi.ResourceClaim) int {
	if claim.Status.Allocation == nil {
		return 0
	}
	count := 0
	for _, result := range claim.Status.Allocation.Devices.Results {
		if Selects(rule, DeviceID{result.Driver, result.Pool, result.Device}) {
			count++
		}
	}
	return count
}

// Inventory is the input for counting a rule's reach.
type Inventory struct {
	Slices []*resourceapi.ResourceSlice
	Claims []*resourceapi.ResourceClaim
	// Pod returns a pod, or nil.
	Pod func(namespace, name string) *corev1.Pod
}

// Reach is the effect of a rule, or its effect if it were NoExecute.
type Reach struct {
	// Published and Allocated are numbers of devices in slices and in claims.
	Published, Allocated int
	// Pods is the number of pods to evict sooner or later, in this number of Namespaces.
	Pods, Namespaces int
}

// ReachOf counts a rule's effect.
func ReachOf(rule *resourceapi.DeviceTaintRule, inventory Inventory) Reach {
	alone := rule.DeepCopy()
	alone.Spec.Taint.Effect = resourceapi.DeviceTaintEffectNoExecute
	claims := make(map[types.NamespacedName]*resourceapi.ResourceClaim)
	reach := Reach{Published: published(rule, inventory.Slices)}
	for _, claim := range inventory.Claims {
		if count := selected(rule, claim); count > 0 {
			reach.Allocated += count
			claims[types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}] = claim
		}
	}
	world := World{Rules: []*resourceapi.DeviceTaintRule{alone}, Claim: func(namespace, name string) *resourceapi.ResourceClaim {
		return claims[types.NamespacedName{Namespace: namespace, Name: name}]
	}}
	pods, namespaces := sets.New[types.UID](), sets.New[string]()
	for _, claim := range claims {
		for _, name := range Consumers(claim) {
			pod := inventory.Pod(claim.Namespace, name)
			if pod == nil {
				continue
			}
			if _, evict := world.ForPod(pod); evict {
				pods.Insert(pod.UID)
				namespaces.Insert(pod.Namespace)
			}
		}
	}
	reach.Pods, reach.Namespaces = pods.Len(), namespaces.Len()
	return reach
}

// Consumers returns the names of the pods in a claim's reservations.
func Consumers(claim *resourceapi.ResourceClaim) []string {
	var names []string
	for _, consumer := range claim.Status.ReservedFor {
		if consumer.APIGroup == "" && consumer.Resource == "pods" {
			names = append(names, consumer.Name)
		}
	}
	return names
}

// published counts the devices in slices selected by a rule. Only the newest generation of a pool
// counts.
func published(rule *resourceapi.DeviceTaintRule, slices []*resourceapi.ResourceSlice) int {
	newest := make(map[PoolID]int64)
	for _, slice := range slices {
		if generation, ok := newest[poolOf(slice)]; !ok || slice.Spec.Pool.Generation > generation {
			newest[poolOf(slice)] = slice.Spec.Pool.Generation
		}
	}
	count := 0
	for _, slice := range slices {
		id := poolOf(slice)
		if slice.Spec.Pool.Generation != newest[id] {
			continue
		}
		for _, device := range slice.Spec.Devices {
			if Selects(rule, DeviceID{id.Driver, id.Pool, device.Name}) {
				count++
			}
		}
	}
	return count
}
