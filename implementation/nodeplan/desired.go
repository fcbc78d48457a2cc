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

package nodeplan

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// Desired is the desired state of one pod or more. Other pods stay as they are.
type Desired struct {
	// Run are pods about to start.
	Run []Pod
	// Restore are pods started before. Their claims need preparing again without checks.
	Restore []types.UID
	// Stop are pods without running containers now or later.
	Stop []types.UID
}

// Pod is a pod and the API server's answers about its claims, not older than the request to start
// the pod.
type Pod struct {
	*corev1.Pod
	// Claims are the claims of ClaimNames, by name.
	Claims map[string]Found
}

// ClaimNames returns the names of a pod's claims without duplicates, with the extended resource
// claim last. It fails if one has not been created yet.
func ClaimNames(pod *corev1.Pod) ([]string, error) {
	refs, err := claimsOf(pod)
	names := make([]string, 0, len(refs))
	for _, ref := range refs {
		if !slices.Contains(names, ref.name) {
			names = append(names, ref.name)
		}
	}
	return names, err
}

// podClaim is an entry of a pod's spec.resourceClaims, or the extended resource claim, which has no
// entry.
type podClaim struct {
	entry, name string
	// generated claims must be owned by the pod or, with WorkloadResourceClaims, by its group.
	generated bool
}

func claimsOf(pod *corev1.Pod) ([]podClaim, error) {
	var refs []podClaim
	for i := range pod.Spec.ResourceClaims {
		entry := &pod.Spec.ResourceClaims[i]
		name, generated, err := resourceclaim.Name(pod, entry)
		if err != nil {
			return nil, err
		}
		if name != nil {
			refs = append(refs, podClaim{entry: entry.Name, name: *name, generated: generated})
		}
	}
	if extended := pod.Status.ExtendedResourceClaimStatus; extended != nil {
		refs = append(refs, podClaim{name: extended.ResourceClaimName})
	}
	return refs, nil
}
