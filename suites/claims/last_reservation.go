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
	"fmt"
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// LastReservation has two pods race for the last of 256 reservations.
var LastReservation = harness.Case{Meta: spec.Meta{
	ID:       "claims/last-reservation",
	Checks:   "A claim has at most 256 consumers; of two pods competing for the last reservation one is scheduled.",
	Requires: []spec.RequirementID{"kep-4381/consumers-limited-by-field-only"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	var all []resourceapi.ResourceClaimConsumerReference
	for i := range resourceapi.ResourceClaimReservedForMaxSize - 1 {
		all = append(all, objects.Stranger(fmt.Sprintf("stranger-%d", i)))
	}
	allocated(t, "claim", class, all...)
	t.Create(objects.Pod("first", t.Image, "claim"), objects.Pod("second", t.Image, "claim"))

	full := t.WaitClaim("claim", "reserved for as many as possible", func(c *resourceapi.ResourceClaim) bool {
		return len(c.Status.ReservedFor) == resourceapi.ResourceClaimReservedForMaxSize
	})
	scheduled, waits := "first", "second"
	if slices.Contains(consumers(full), "second") {
		scheduled, waits = waits, scheduled
	}
	t.WaitScheduled(scheduled)
	t.WaitUnschedulable(waits, "status.reservedFor: Too many")
	edit.ClaimStatus(t, "claim", func(c *resourceapi.ResourceClaim) { c.Status.ReservedFor = slices.Delete(c.Status.ReservedFor, 0, 1) })
	t.WaitScheduled(waits)
	t.Expect(consumers(t.Claim("claim"))).To(gomega.ContainElements("first", "second"), "consumers")
	edit.ClaimStatus(t, "claim", func(c *resourceapi.ResourceClaim) {
		c.Status.ReservedFor = c.Status.ReservedFor[len(c.Status.ReservedFor)-2:]
	})
}}
