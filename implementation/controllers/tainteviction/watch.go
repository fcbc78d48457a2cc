package tainteviction

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	"github.com/dra-conformance/dratest/implementation/evictplan"
)

// claimsByPool is an index of allocated claims. Its keys are "driver/pool": a driver's
// name has no slash.
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

// podChanged: it may have been bound to a node, or have got claims.
func (c *Controller) podChanged(pod *corev1.Pod) {
	if pod.Spec.NodeName != "" && (len(pod.Spec.ResourceClaims) > 0 || pod.Status.ExtendedResourceClaimStatus != nil) {
		c.Queue.Add(item{podItem, cache.MetaObjectToName(pod), pod.UID})
	}
}

// concern looks at the pods that a claim is reserved for, unless it is nil: they may have
// got tainted devices, or have lost them.
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

// sliceChanged: pods that use devices with other taints than before are concerned.
func (c *Controller) sliceChanged(old, updated *resourceapi.ResourceSlice) {
	for _, device := range c.state.setSlice(old, updated) {
		// The only error is that of an unknown index.
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

// ruleChanged: its author wants to know, and pods that use devices which it is or was
// about are concerned. Rules change so rarely that all claims may be looked at.
func (c *Controller) ruleChanged(old, updated *resourceapi.DeviceTaintRule) {
	if updated == nil {
		c.state.forgetRule(old.UID)
	}
	if old != nil && updated != nil && old.UID == updated.UID && equality.Semantic.DeepEqual(old.Spec, updated.Spec) {
		return
	}
	// First, so that the author reads of pods that are to be evicted before they are.
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
