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
	"cmp"
	"iter"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// World is the known state of the cluster.
type World struct {
	Pools *Pools
	// Rules are all DeviceTaintRules. Effects other than NoExecute are ignored.
	Rules []*resourceapi.DeviceTaintRule
	// Claim returns a claim, or nil.
	Claim func(namespace, name string) *resourceapi.ResourceClaim
}

// Eviction is the time and cause of a pod's eviction.
type Eviction struct {
	At     time.Time
	Causes []Cause
}

// Cause is a taint not tolerated forever.
type Cause struct {
	// Rule is the DeviceTaintRule of the taint, empty for a taint from a driver's slice.
	Rule RuleRef
	// Device is the tainted device.
	Device DeviceID
	// Key is the taint's key.
	Key string
}

// RuleRef names one DeviceTaintRule.
type RuleRef struct {
	Name string
	UID  types.UID
}

// ForPod returns the eviction of a pod, if any. Unbound, terminating and finished pods are not
// evicted: there is nothing to stop.
func (w World) ForPod(pod *corev1.Pod) (Eviction, bool) {
	if pod.Spec.NodeName == "" || pod.DeletionTimestamp != nil ||
		pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return Eviction{}, false
	}
	var eviction Eviction
	for _, claim := range w.claimsOf(pod) {
		for i := range claim.Status.Allocation.Devices.Results {
			w.judge(&claim.Status.Allocation.Devices.Results[i], &eviction)
		}
	}
	slices.SortFunc(eviction.Causes, compareCauses)
	eviction.Causes = slices.Compact(eviction.Causes)
	return eviction, len(eviction.Causes) > 0
}

// claimsOf returns the allocated claims reserved for a pod: named in its spec, generated from
// templates, and for extended resources.
func (w World) claimsOf(pod *corev1.Pod) []*resourceapi.ResourceClaim {
	var claims []*resourceapi.ResourceClaim
	add := func(name string, mustCheckOwner bool) {
		claim := w.Claim(pod.Namespace, name)
		if claim == nil || claim.Status.Allocation == nil || !resourceclaim.IsReservedForPod(pod, claim, false) ||
			mustCheckOwner && resourceclaim.IsForPod(pod, claim, false) != nil {
			return
		}
		claims = append(claims, claim)
	}
	for i := range pod.Spec.ResourceClaims {
		// The claim does not exist yet or cannot be handled.
		if name, mustCheckOwner, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i]); err == nil && name != nil {
			add(*name, mustCheckOwner)
		}
	}
	if extended := pod.Status.ExtendedResourceClaimStatus; extended != nil {
		add(extended.ResourceClaimName, true)
	}
	return claims
}

// judge updates an eviction with the taints of an allocated device.
func (w World) judge(result *resourceapi.DeviceRequestAllocationResult, eviction *Eviction) {
	for cause, taint := range w.taints(DeviceID{result.Driver, result.Pool, result.Device}) {
		at, tolerated := until(taint, result.Tolerations)
		if tolerated {
			continue
		}
		if len(eviction.Causes) == 0 || at.Before(eviction.At) {
			eviction.At = at
		}
		eviction.Causes = append(eviction.Causes, cause)
	}
}

func (w World) taints(device DeviceID) iter.Seq2[Cause, resourceapi.DeviceTaint] {
	return func(yield func(Cause, resourceapi.DeviceTaint) bool) {
		for _, taint := range w.Pools.of(device) {
			if !yield(Cause{Device: device, Key: taint.Key}, taint) {
				return
			}
		}
		for _, rule := range w.Rules {
			if rule.Spec.Taint.Effect == resourceapi.DeviceTaintEffectNoExecute && Selects(rule, device) &&
				!yield(Cause{Rule: RefOf(rule), Device: device, Key: rule.Spec.Taint.Key}, rule.Spec.Taint) {
				return
			}
		}
	}
}

// until returns how long a taint is tolerated: the shortest of several tolerations with a time. A
// taint without a time has always been there.
//
// A toleration without an effect matches all effects and its time is ignored, as the API documents.
// Kubernetes' controller requires an explicit NoExecute: there, a pod scheduled on such a device is
// evicted at once, again and again.
func until(taint resourceapi.DeviceTaint, tolerations []resourceapi.DeviceToleration) (at time.Time, forever bool) {
	if taint.TimeAdded != nil {
		at = taint.TimeAdded.Time
	}
	var shortest *time.Duration
	for _, toleration := range tolerations {
		if !resourceclaim.ToleratesTaint(toleration, taint) {
			continue
		}
		if toleration.TolerationSeconds == nil || toleration.Effect != resourceapi.DeviceTaintEffectNoExecute {
			return time.Time{}, true
		}
		lasts := time.Duration(max(*toleration.TolerationSeconds, 0)) * time.Second
		if shortest == nil || lasts < *shortest {
			shortest = &lasts
		}
	}
	if shortest != nil {
		at = at.Add(*shortest)
	}
	return at, false
}

func compareCauses(a, b Cause) int {
	return cmp.Or(
		cmp.Compare(a.Rule.Name, b.Rule.Name), cmp.Compare(a.Rule.UID, b.Rule.UID),
		cmp.Compare(a.Device.Driver, b.Device.Driver), cmp.Compare(a.Device.Pool, b.Device.Pool), cmp.Compare(a.Device.Device, b.Device.Device),
		cmp.Compare(a.Key, b.Key))
}
