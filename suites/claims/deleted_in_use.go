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

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeletedInUse deletes a claim in use by two pods.
var DeletedInUse = harness.Case{Meta: spec.Meta{
	ID:       "claims/deleted-in-use",
	Checks:   "A claim deleted while two pods use it stays allocated until both are gone, and no further pod gets it.",
	Requires: []spec.RequirementID{"kep-4381/deleted-claim-in-use-stays", "kep-4381/pod-waits-for-deallocation"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	claim := objects.Claim("claim", objects.Request("req", class))
	t.Create(claim, objects.Pod("first", t.Image, "claim"), objects.Pod("second", t.Image, "claim"))
	t.WaitScheduled("first")
	t.WaitScheduled("second")

	t.Delete(claim)
	t.RemovePod("first")
	t.WaitClaim("claim", "reserved for one", func(c *resourceapi.ResourceClaim) bool { return len(c.Status.ReservedFor) == 1 })
	t.Create(objects.Pod("first", t.Image, "claim"), objects.Claim("other", objects.Request("req", class)), objects.Pod("other", t.Image, "other"))
	t.WaitUnschedulable("other", "cannot allocate all claims")
	t.Expect(consumers(t.Claim("claim"))).To(gomega.Equal([]string{"second"}), "consumers of the claim being deleted")
	t.Expect(t.Claim("claim")).To(matchers.HaveDevices("device-0"), "devices of the claim being deleted")
	t.RemovePod("second")
	t.WaitClaimGone("claim")
	t.WaitScheduled("other")
	first := t.PodNow("first")
	t.Expect(first.Spec.NodeName).To(gomega.BeEmpty(), "node of the pod with a deleted claim")
}}
