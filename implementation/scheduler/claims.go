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
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	resourcelisters "k8s.io/client-go/listers/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	fwk "k8s.io/kube-scheduler/framework"
)

// claimsOf returns the claims of the pod's spec, read only. An error means that the pod cannot be
// scheduled until its claims change: one is missing, being deleted or not the pod's.
func (pl *Plugin) claimsOf(pod *v1.Pod) ([]*resourceapi.ResourceClaim, error) {
	if len(pod.Spec.ResourceClaims) == 0 {
		return nil, nil
	}
	claims := make([]*resourceapi.ResourceClaim, 0, len(pod.Spec.ResourceClaims))
	for i := range pod.Spec.ResourceClaims {
		name, mustCheckOwner, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil {
			return nil, err
		}
		if name == nil {
			continue // The controller found no need for one.
		}
		claim, err := pl.claim(pod.Namespace, *name)
		if err != nil {
			return nil, err
		}
		if claim.DeletionTimestamp != nil {
			return nil, fmt.Errorf("resourceclaim %q is being deleted", claim.Name)
		}
		if mustCheckOwner {
			if err := resourceclaim.IsForPod(pod, claim, false); err != nil {
				return nil, err
			}
		}
		claims = append(claims, claim)
	}
	return claims, nil
}

// claim returns a claim by its name.
func (pl *Plugin) claim(namespace, name string) (*resourceapi.ResourceClaim, error) {
	return LatestClaim(pl.dra.ResourceClaims(), pl.cluster.lister, namespace, name)
}

// LatestClaim returns a claim from the DRA manager, including assumed changes. The manager may lag
// behind the informer: it may miss a new claim, although pods are woken only once, or have an older
// claim of the same name. Errors are the manager's.
func LatestClaim(tracker fwk.ResourceClaimTracker, lister resourcelisters.ResourceClaimLister, namespace, name string) (*resourceapi.ResourceClaim, error) {
	claim, err := tracker.Get(namespace, name)
	if latest, latestErr := lister.ResourceClaims(namespace).Get(name); latestErr == nil && (err != nil || latest.UID != claim.UID) {
		return latest, nil
	}
	return claim, err
}
