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
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/controlplane"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeletedMeanwhile deletes a claim, blocked by a foreign finalizer, while its allocation is being written.
var DeletedMeanwhile = harness.Case{Meta: spec.Meta{
	ID:       "claims/deleted-meanwhile",
	Checks:   "A claim deleted while its allocation is being written is not allocated, and its pod stays pending.",
	Requires: []spec.RequirementID{"kep-4381/deleted-claim-not-allocated"},
	Needs:    spec.Needs{NoKubelet: true, OneAPIServer: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 2)
	claim := objects.Claim("claim", objects.Request("req", class))
	claim.Finalizers = []string{"example.com/kept"}
	hold := allocating(t, claim)
	t.Delete(claim)
	controlplane.Release(t, hold)
	t.WaitEvent("pod", "FailedScheduling", "")
	waits(t, "pod", class)
	t.Expect(t.Claim("claim").Status.Allocation).To(gomega.BeNil(), "allocation of the claim being deleted")
	_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Patch(t.Context(), "claim", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	t.NoError(err, "remove the claim's finalizer")
}}
