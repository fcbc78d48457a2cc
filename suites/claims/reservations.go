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
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Reservations has a claim reserved for deleted pods and others.
var Reservations = harness.Case{Meta: spec.Meta{
	ID:       "claims/reservations",
	Checks:   "Reservations of deleted pods are removed, those of existing pods and of other kinds of consumers stay.",
	Requires: []spec.RequirementID{"kep-4381/reservation-removed", "kep-4381/other-consumers-kept", "kep-4381/in-use-means-reserved"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	gone, replaced, lives := held(t, "gone", "claim"), held(t, "replaced", "claim"), held(t, "lives", "claim")
	t.RemovePod("gone")
	t.RemovePod("replaced")
	held(t, "replaced", "claim")
	allocated(t, "claim", class, objects.Consumer(gone), objects.Stranger("other"), objects.Consumer(replaced), objects.Consumer(lives))

	left := t.WaitClaim("claim", "reserved for two", func(c *resourceapi.ResourceClaim) bool { return len(c.Status.ReservedFor) == 2 })
	t.Expect(left.Status.ReservedFor).To(gomega.Equal([]resourceapi.ResourceClaimConsumerReference{objects.Stranger("other"), objects.Consumer(lives)}), "remaining reservations")
	t.Expect(left).To(matchers.HaveDevices("device-0"), "devices")
	t.RemovePod("lives")
	left = t.WaitClaim("claim", "reserved for one", func(c *resourceapi.ResourceClaim) bool { return len(c.Status.ReservedFor) == 1 })
	t.Expect(consumers(left)).To(gomega.Equal([]string{"other"}), "remaining reservations")
	// A foreign consumer keeps the claim in use: its device is not free.
	t.Create(objects.Claim("waits", objects.Request("req", class)), objects.Pod("waits", t.Image, "waits"))
	t.WaitUnschedulable("waits", "cannot allocate all claims")
	t.Expect(t.Claim("claim")).To(matchers.HaveDevices("device-0"), "devices")
	edit.ClaimStatus(t, "claim", func(c *resourceapi.ResourceClaim) { c.Status.ReservedFor, c.Status.Allocation = nil, nil })
	t.WaitScheduled("waits")
}}
