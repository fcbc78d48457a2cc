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
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeletedUnused has a pod use a claim being deleted, blocked by a foreign finalizer.
var DeletedUnused = harness.Case{Meta: spec.Meta{
	ID:       "claims/deleted-unused",
	Checks:   "A claim being deleted is not allocated, and a deleted claim without an allocation loses its finalizer and goes.",
	Requires: []spec.RequirementID{"kep-4381/deleted-claim-not-allocated", "kep-4381/unallocated-claim-finalizer-removed"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 2)
	kept := objects.Claim("kept", objects.Request("req", class))
	kept.Finalizers = []string{"example.com/kept", resourceapi.Finalizer}
	t.Create(kept)
	t.Delete(kept)
	t.WaitClaim("kept", "without the finalizer of an allocation", func(c *resourceapi.ResourceClaim) bool { return len(c.Finalizers) == 1 })
	t.Create(objects.Pod("pod", t.Image, "kept"))
	waits(t, "pod", class)
	t.Expect(t.Claim("kept").Status).To(gomega.Equal(resourceapi.ResourceClaimStatus{}), "status of the claim being deleted")

	_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Patch(t.Context(), "kept", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	t.NoError(err, "let the claim go")
	t.WaitClaimGone("kept")
	t.Create(objects.Claim("kept", objects.Request("req", class)))
	t.WaitScheduled("pod")
	t.Expect(t.Claim("kept")).To(matchers.HaveDevices("device-1"), "device of the new claim")
}}
