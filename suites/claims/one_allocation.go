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
	"errors"
	"fmt"
	"sync"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OneAllocation has several pods at once need an unallocated claim.
var OneAllocation = harness.Case{Meta: spec.Meta{
	ID:       "claims/one-allocation",
	Checks:   "Pods sharing an unallocated claim cause one allocation, all go to its node, and it never changes.",
	Requires: []spec.RequirementID{"kep-4381/claim-being-allocated-waits"},
	Needs:    spec.Needs{NoKubelet: true, Nodes: 2},
}, Run: func(t *harness.T) {
	const pods = 6
	class := devices(t, t.Nodes[0], 3)
	t.Publish("other", t.Nodes[1], profiles.Devices(3).Pools[0].Devices...)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	seen, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Watch(t.Context(), metav1.ListOptions{})
	t.NoError(err, "watch the claims")
	defer seen.Stop()
	var all sync.WaitGroup
	errs := make([]error, pods)
	for i := range pods {
		all.Go(func() {
			_, errs[i] = t.Client.CoreV1().Pods(t.Namespace).Create(t.Context(), objects.Pod(fmt.Sprintf("pod-%d", i), t.Image, "claim"), metav1.CreateOptions{})
		})
	}
	all.Wait()
	t.NoError(errors.Join(errs...), "create pods")

	var first *resourceapi.AllocationResult
	next(t, seen, func(claim *resourceapi.ResourceClaim) bool {
		if first == nil {
			first = claim.Status.Allocation
		}
		t.Expect(claim.Status.Allocation).To(gomega.Equal(first), "earlier allocation")
		return len(claim.Status.ReservedFor) == pods
	})
	for i := range pods {
		name := fmt.Sprintf("pod-%d", i)
		t.Expect(t.WaitScheduled(name).Spec.NodeName).To(gomega.Equal(map[string]string{"pool": t.Nodes[0], "other": t.Nodes[1]}[first.Devices.Results[0].Pool]), "node of pod %s", name)
	}
}}
