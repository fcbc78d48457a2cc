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

// World is what is known of the cluster.
type World struct {
	Pools *Pools
	// Rules are all DeviceTaintRules. Those with another effect than NoExecute do
	// nothing here.
	Rules []*resourceapi.DeviceTaintRule
	// Claim returns a claim, nil if there is none of that name.
	Claim func(namespace, name string) *resourceapi.ResourceClaim
}

// Eviction says when a pod has to leave, and because of what.
type Eviction struct {
	At     time.Time
	Causes []Cause
}

// Cause is a taint that is not tolerated forever.
type Cause struct {
	// Rule names the DeviceTaintRule that the taint is from, and is empty if the driver
	// has tainted the device in a slice.
	Rule RuleRef
	// Device is the one that has the taint.
	Device DeviceID
	// Key is the taint's.
	Key string
}

// RuleRef names one particular DeviceTaintRule.
type RuleRef struct {
	Name string
	UID  types.UID
}

// ForPod returns whether a pod has to leave, and when. One that runs nowhere, is being
// deleted or has ended does not: there is nothing to stop.
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

// claimsOf returns the allocated claims that are reserved for a pod: those that it
// names, those made from templates, and the one for its extended resources.
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
		// An error means that the claim does not exist yet or cannot be handled.
		if name, mustCheckOwner, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i]); err == nil && name != nil {
			add(*name, mustCheckOwner)
		}
	}
	if extended := pod.Status.ExtendedResourceClaimStatus; extended != nil {
		add(extended.ResourceClaimName, true)
	}
	return claims
}

// judge adds what the taints of an allocated device mean for an eviction.
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

// taints yields the NoExecute taints of a device.
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

// until says how long a taint is tolerated. Of several tolerations with a time the
// shortest counts. A taint without a time has been there always.
//
// A toleration without an effect is one of all effects, and its time is ignored, as
// the API says. Kubernetes' controller wants NoExecute to be named: there a pod that
// the scheduler puts on a device is evicted at once, again and again.
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
