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

package tainteviction

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	"github.com/dra-conformance/dratest/implementation/evictplan"
)

// claimsByPool is an index of allocated claims. Its keys are "driver/pool": driver names have no
// slash.
const claimsByPool = "pool"

func poolKey(id evictplan.PoolID) string { return id.Driver + "/" + id.Pool }

func indexByPool(object any) ([]string, error) {
	claim := object.(*resourceapi.ResourceClaim)
	if claim.Status.Allocation == nil {
		return nil, nil
	}
	var keys []string
	for _, result := range claim.Status.Allocation.Devices.Results {
		keys = append(keys, poolKey(evictplan.PoolID{Driver: result.Driver, Pool: result.Pool}))
	}
	return keys, nil
}

// podChanged: it may have been bound to a node, or have new claims.
func (c *Controller) podChanged(pod *corev1.Pod) {
	if pod.Spec.NodeName != "" && (len(pod.Spec.ResourceClaims) > 0 || pod.Status.ExtendedResourceClaimStatus != nil) {
		c.Queue.Add(item{podItem, cache.MetaObjectToName(pod), pod.UID})
	}
}

// concern syncs the pods a claim is reserved for, unless it is nil: they may have gained or lost
// tainted devices.
func (c *Controller) concern(claim *resourceapi.ResourceClaim) {
	if claim == nil {
		return
	}
	for _, name := range evictplan.Consumers(claim) {
		if pod, err := c.pods.Pods(claim.Namespace).Get(name); err == nil {
			c.podChanged(pod)
		}
	}
}

// sliceChanged syncs pods using devices with changed taints.
func (c *Controller) sliceChanged(old, updated *resourceapi.ResourceSlice) {
	for _, device := range c.state.setSlice(old, updated) {
		// The only possible error is an unknown index.
		claims, _ := c.claimIndex.ByIndex(claimsByPool, poolKey(evictplan.PoolID{Driver: device.Driver, Pool: device.Pool}))
		for _, object := range claims {
			claim := object.(*resourceapi.ResourceClaim)
			for _, result := range claim.Status.Allocation.Devices.Results {
				if device == (evictplan.DeviceID{Driver: result.Driver, Pool: result.Pool, Device: result.Device}) {
					c.concern(claim)
				}
			}
		}
	}
}

// ruleChanged syncs the rule, and pods with devices selected before or after the change. Rules
// change rarely enough to check all claims.
func (c *Controller) ruleChanged(old, updated *resourceapi.DeviceTaintRule) {
	if updated == nil {
		c.state.forgetRule(old.UID)
	}
	if old != nil && updated != nil && old.UID == updated.UID && equality.Semantic.DeepEqual(old.Spec, updated.Spec) {
		return
	}
	// First, to report pending evictions before they happen.
	if updated != nil {
		c.Queue.Add(item{ruleItem, cache.MetaObjectToName(updated), updated.UID})
	}
	claims, _ := c.claims.List(labels.Everything())
	for _, claim := range claims {
		if old != nil && evictplan.SelectsAny(old, claim) || updated != nil && evictplan.SelectsAny(updated, claim) {
			c.concern(claim)
		}
	}
}
