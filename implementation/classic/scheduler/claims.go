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
	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
	"github.com/dra-conformance/dratest/implementation/scheduler"
)

// podClaim is a classic claim of a pod with related objects. All are read only.
type podClaim struct {
	entry   string // its name in the pod's spec
	claim   *resourceapi.ResourceClaim
	request classicplan.Request
	// mistake prevents the allocation of the claim.
	mistake error
	class   *v1alpha1.ResourceClass // nil if there is none
	record  *v1alpha1.ClassicClaim  // nil if there is none
}

// pending reports whether the claim waits for a selected node.
func (c *podClaim) pending() bool {
	return c.claim.Status.Allocation == nil && c.mistake == nil && c.request.Config.AllocationMode == v1alpha1.WaitForFirstConsumer
}

// claimsOf returns the classic claims of a pod, in the order of its spec. The plugin for other
// claims rejects pods with claims that are missing or not the pod's.
func (c *cluster) claimsOf(pod *v1.Pod) []*podClaim {
	var claims []*podClaim
	for i := range pod.Spec.ResourceClaims {
		entry := &pod.Spec.ResourceClaims[i]
		name, mustCheckOwner, err := resourceclaim.Name(pod, entry)
		if err != nil || name == nil {
			continue
		}
		claim, err := scheduler.LatestClaim(c.dra.ResourceClaims(), c.claims, pod.Namespace, *name)
		if err != nil || mustCheckOwner && resourceclaim.IsForPod(pod, claim, false) != nil {
			continue
		}
		request, handled, err := classicplan.Handled(claim, c.deviceClass)
		if !handled {
			continue
		}
		claims = append(claims, &podClaim{
			entry: entry.Name, claim: claim, request: request, mistake: err,
			class:  cached[*v1alpha1.ResourceClass](c.classes, "", request.ResourceClass),
			record: cached[*v1alpha1.ClassicClaim](c.records, claim.Namespace, claim.Name),
		})
	}
	return claims
}

func (c *cluster) deviceClass(name string) *resourceapi.DeviceClass {
	class, err := c.dra.DeviceClasses().Get(name)
	if err != nil {
		return nil
	}
	return class
}

// nameOf returns the claim name of an entry in a pod's spec, empty if there is none yet.
func (c *cluster) nameOf(pod *v1.Pod, entry *v1.PodResourceClaim) string {
	name, _, err := resourceclaim.Name(pod, entry)
	if err != nil || name == nil {
		return ""
	}
	return *name
}

func pendingNames(claims []*podClaim) []string {
	var names []string
	for _, c := range claims {
		if c.pending() {
			names = append(names, c.entry)
		}
	}
	return names
}

// unusable returns why a pod cannot currently be scheduled with a claim on any node. blocked is set
// if others use the claim or it is being deallocated.
func (c *podClaim) unusable(pod *v1.Pod) (why string, blocked bool) {
	name := c.claim.Name
	switch {
	case c.mistake != nil:
		return "resource claim " + name + ": " + c.mistake.Error(), false
	case c.claim.Status.Allocation != nil:
		why, err := classicplan.Usable(c.claim, c.record, pod.UID)
		if err != nil {
			return "resource claim " + name + ": " + err.Error(), false
		}
		if why != "" {
			return "resource claim " + name + ": " + why, true
		}
		return "", false
	case c.claim.DeletionTimestamp != nil:
		return "resource claim " + name + " is being deleted", false
	case c.class == nil:
		return "resource claim " + name + ": resource class " + c.request.ResourceClass + " does not exist", false
	case !c.pending():
		return "resource claim " + name + " waits for its driver " + string(c.class.DriverName) + " to allocate it", false
	default:
		return "", false
	}
}

// worthTrying reports whether an attempt to schedule a pod may succeed: its claims are usable, and
// it is not the drivers' turn. It is called after changes, except to suitable nodes: see usable.
func (c *cluster) worthTrying(pod *v1.Pod) bool {
	claims := c.claimsOf(pod)
	return usable(pod, claims) && c.asking(pod) == nil && classicplan.Awaiting(c.scheduling(pod), pendingNames(claims)) == ""
}

// usable reports whether a pod has classic claims and can be scheduled with them on some node, even
// if it is the drivers' turn: the requested node may no longer be suitable.
func usable(pod *v1.Pod, claims []*podClaim) bool {
	for _, claim := range claims {
		if why, _ := claim.unusable(pod); why != "" {
			return false
		}
	}
	return len(claims) > 0
}
