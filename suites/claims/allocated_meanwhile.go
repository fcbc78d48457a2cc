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

package claims

import (
	"encoding/json"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/controlplane"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AllocatedMeanwhile allocates a claim while the scheduler's allocation is being written, like another
// scheduler.
var AllocatedMeanwhile = harness.Case{Meta: spec.Meta{
	ID:       "claims/allocated-meanwhile",
	Checks:   "If another scheduler allocates a claim first, its allocation stays, and the pod is retried with that allocation.",
	Requires: []spec.RequirementID{"kep-4381/concurrent-schedulers-one-wins"},
	Needs:    spec.Needs{NoKubelet: true, OneAPIServer: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 3)
	hold := allocating(t, objects.Claim("claim", objects.Request("req", class)))
	// Updates are held back, patches are not.
	patch, err := json.Marshal(map[string]any{"status": resourceapi.ResourceClaimStatus{Allocation: allocation(t, "device-2")}})
	t.NoError(err, "write the allocation")
	_, err = t.Client.ResourceV1().ResourceClaims(t.Namespace).Patch(t.Context(), "claim", types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	t.NoError(err, "allocate the claim")
	seenClaims, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Watch(t.Context(), metav1.ListOptions{})
	t.NoError(err, "watch the claims")
	defer seenClaims.Stop()
	seenPods, err := t.Client.CoreV1().Pods(t.Namespace).Watch(t.Context(), metav1.ListOptions{})
	t.NoError(err, "watch the pods")
	defer seenPods.Stop()
	controlplane.Release(t, hold)
	pod := t.WaitRetried("pod")
	t.Expect(t.Claim("claim")).To(matchers.HaveDevices("device-2"), "device allocated by the other scheduler")
	// Controllers would add a missing reservation once the pod is bound.
	var bound uint64
	next(t, seenPods, func(p *corev1.Pod) bool { bound = version(t, p); return p.Spec.NodeName != "" })
	next(t, seenClaims, func(c *resourceapi.ResourceClaim) bool {
		t.Expect(version(t, c)).To(gomega.BeNumerically("<", bound), "resourceVersion of the claim's reservation, which must precede the pod's binding")
		return len(c.Status.ReservedFor) > 0
	})
	t.Expect(t.Claim("claim")).To(matchers.BeReservedFor(pod), "consumers of the claim")
}}
