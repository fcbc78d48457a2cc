package evictplan

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// RefOf names a rule.
func RefOf(rule *resourceapi.DeviceTaintRule) RuleRef { return RuleRef{rule.Name, rule.UID} }

// Selects says whether a rule is about a device. A rule without a selector is about
// none, one with an empty selector about all.
func Selects(rule *resourceapi.DeviceTaintRule, device DeviceID) bool {
	selector := rule.Spec.DeviceSelector
	return selector != nil &&
		(selector.Driver == nil || *selector.Driver == device.Driver) &&
		(selector.Pool == nil || *selector.Pool == device.Pool) &&
		(selector.Device == nil || *selector.Device == device.Device)
}

// SelectsAny says whether a rule is about a device that is allocated to a claim.
func SelectsAny(rule *resourceapi.DeviceTaintRule, claim *resourceapi.ResourceClaim) bool {
	return selected(rule, claim) > 0
}

// selected counts a claim's devices that a rule is about.
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

// Inventory is what the reach of a rule is counted from.
type Inventory struct {
	Slices []*resourceapi.ResourceSlice
	Claims []*resourceapi.ResourceClaim
	// Pod returns a pod, nil if there is none of that name.
	Pod func(namespace, name string) *corev1.Pod
}

// Reach is what a rule does, or would do if its effect was NoExecute.
type Reach struct {
	// Published and Allocated are the numbers of devices in slices and in claims.
	Published, Allocated int
	// Pods have to leave sooner or later, in so many Namespaces.
	Pods, Namespaces int
}

// ReachOf counts what a rule does.
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

// Consumers returns the names of the pods that a claim is reserved for.
func Consumers(claim *resourceapi.ResourceClaim) []string {
	var names []string
	for _, consumer := range claim.Status.ReservedFor {
		if consumer.APIGroup == "" && consumer.Resource == "pods" {
			names = append(names, consumer.Name)
		}
	}
	return names
}

// published counts the devices in slices that a rule is about. Only slices of the
// newest generation of their pool count.
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
