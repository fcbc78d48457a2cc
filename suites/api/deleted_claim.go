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

package api

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeletedClaim changes the consumers of a claim being deleted.
var DeletedClaim = harness.Case{Meta: spec.Meta{
	ID:       "api/deleted-claim",
	Checks:   "A claim that is being deleted can lose consumers, but gets no new ones.",
	Requires: []spec.RequirementID{"kep-4381/deleted-claim-not-reserved"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	claim := validClaim()
	claim.Finalizers = []string{"example.com/kept"} // removed with the consumers
	t.Create(claim)
	reserved := func(consumers ...resourceapi.ResourceClaimConsumerReference) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) { c.Status.ReservedFor = consumers }
	}
	edit.ClaimStatus(t, "claim", func(c *resourceapi.ResourceClaim) {
		c.Status.Allocation = allocation("device-0")
		reserved(consumer(0), consumer(1))(c)
	})
	t.Delete(claim)
	stored := t.Claim("claim")
	if stored.DeletionTimestamp == nil {
		t.Fatalf("the claim is not being deleted")
	}
	const field = "status.reservedFor"
	judge(t, stored.DeepCopy, updateStatus(t, t.Client.ResourceV1().ResourceClaims(t.Namespace)), []rule[*resourceapi.ResourceClaim]{
		{"one more consumer", reserved(consumer(0)), reserved(consumer(0), consumer(1), consumer(2)), field, forbidden},
		{"a consumer in the place of another", reserved(consumer(1)), reserved(consumer(0), consumer(2)), field, forbidden},
		{"a consumer in the place of all", reserved(), reserved(consumer(2)), field, forbidden},
	}...)
}}
