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

package classicplan

import (
	"math/rand/v2"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// Usable reports whether a pod may use an allocated claim, or why not. Errors are those of an
// AllocationConfig not written by this package's drivers.
func Usable(claim *resourceapi.ResourceClaim, record *v1alpha1.ClassicClaim, pod types.UID) (why string, err error) {
	if reservedFor(claim, pod) {
		return "", nil
	}
	if claim.DeletionTimestamp != nil {
		return "the claim is being deleted", nil
	}
	if record != nil && record.Spec.ClaimUID == claim.UID && record.Spec.DeallocationRequested {
		return "the claim is going to be deallocated", nil
	}
	limit := int32(-1)
	config, found, err := v1alpha1.AllocationConfigOf(claim.Status.Allocation)
	if err != nil {
		return "", err
	}
	if found {
		limit = config.UserLimit
	}
	users := len(claim.Status.ReservedFor)
	if limit >= 0 && users >= int(limit) || users >= resourceapi.ResourceClaimReservedForMaxSize {
		return "the claim has as many users as it may have", nil
	}
	return "", nil
}

func reservedFor(claim *resourceapi.ResourceClaim, pod types.UID) bool {
	for _, consumer := range claim.Status.ReservedFor {
		if consumer.UID == pod {
			return true
		}
	}
	return false
}

// Stuck is a claim whose allocation excludes all otherwise fitting nodes for a pod.
type Stuck struct {
	Claim  *resourceapi.ResourceClaim
	Record *v1alpha1.ClassicClaim // nil if no driver of ours has allocated it
}

// Deallocation chooses a claim to deallocate, so the pod may fit another node, and returns its
// index, or -1 if that cannot help. There is only one deallocation at a time: it may be enough.
//
// Claims with immediate allocation are not chosen: their driver does not know where the pod would
// fit, and may allocate the same again, forever.
//
// The choice is random, so another claim is tried if this one did not help.
func Deallocation(claims []Stuck, pod types.UID, random *rand.Rand) int {
	var free []int
	for i, stuck := range claims {
		if stuck.Record == nil || stuck.Record.Spec.ClaimUID != stuck.Claim.UID || stuck.Record.Spec.AllocationMode == v1alpha1.Immediate {
			continue
		}
		if stuck.Record.Spec.DeallocationRequested {
			return -1
		}
		others := len(stuck.Claim.Status.ReservedFor)
		if reservedFor(stuck.Claim, pod) {
			others--
		}
		if others == 0 {
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return -1
	}
	return free[random.IntN(len(free))]
}
