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

package claimplan

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// reserve reserves allocated claims for a pod bound without the scheduler (its creator set
// spec.nodeName). Unallocated claims have to wait: only a scheduler can allocate.
func (p *podPlan) reserve() {
	if p.Pod.Spec.NodeName == "" {
		return
	}
	seen := sets.New[string]()
	for i := range p.Pod.Spec.ResourceClaims {
		podClaim := &p.Pod.Spec.ResourceClaims[i]
		name, mustCheckOwner, err := resourceclaim.Name(p.Pod, podClaim)
		if err != nil || name == nil || seen.Has(*name) {
			// provide has handled the error.
			continue
		}
		seen.Insert(*name)
		claim := p.claim(*name)
		if claim == nil || mustCheckOwner && resourceclaim.IsForPod(p.Pod, claim, false) != nil {
			continue
		}
		p.reserveClaim(podClaim, claim)
	}
}

func (p *podPlan) reserveClaim(podClaim *corev1.PodResourceClaim, claim *resourceapi.ResourceClaim) {
	// A claim that is being deleted is about to lose its allocation.
	if claim.Status.Allocation == nil || claim.DeletionTimestamp != nil ||
		resourceclaim.IsReservedForPod(p.Pod, claim, false) {
		return
	}
	bindTo, err := resourceclaim.BindTo(p.Pod, p.PodGroup, podClaim)
	if err != nil || !isPod(bindTo) {
		// A PodGroup's claim is reserved for the group, by its creator.
		return
	}
	if len(claim.Status.ReservedFor) >= resourceapi.ResourceClaimReservedForMaxSize {
		// The claim changes when there is room again; no retry until then.
		p.failures = append(p.failures, Fail{Err: fmt.Errorf("reserve claim %s/%s for pod %s: it is reserved for %d consumers already",
			claim.Namespace, claim.Name, p.Pod.Name, len(claim.Status.ReservedFor))})
		return
	}
	p.actions = append(p.actions, Reserve{Claim: refOf(claim), Consumer: bindTo})
}
