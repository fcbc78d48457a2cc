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
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ReservationGivenUp keeps the scheduler from reserving the second of two claims of a pod.
var ReservationGivenUp = harness.Case{Meta: spec.Meta{
	ID:       "claims/reservation-given-up",
	Checks:   "A pod that can reserve only the first of two claims gives it up; another pod then gets that claim elsewhere.",
	Requires: []spec.RequirementID{"kep-4381/reservation-given-up"},
	Needs:    spec.Needs{NoKubelet: true, Nodes: 2},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 2)
	t.Publish("elsewhere", t.Nodes[1], profiles.OneDevice().Pools[0].Devices...)
	t.Create(objects.Claim("a", objects.Request("req", class)), objects.Claim("b", objects.Request("req", class)))
	refuse(t, "b")
	t.Create(objects.OnlyOn(objects.Pod("stuck", t.Image, "a", "b"), t.Nodes[0]))
	t.WaitEvent("stuck", "FailedScheduling", "no status for this claim")
	t.WaitClaim("a", "allocated and reserved for nobody", func(c *resourceapi.ResourceClaim) bool {
		return c.Status.Allocation != nil && len(c.Status.ReservedFor) == 0
	})

	t.Create(objects.OnlyOn(objects.Pod("pod", t.Image, "a"), t.Nodes[1]))
	pod := t.WaitScheduled("pod")
	claim := t.Claim("a")
	t.Expect(claim).To(matchers.BeReservedFor(pod), "reservations of the first claim")
	t.Expect(claim).To(matchers.HaveDevicesFrom("elsewhere"), "pool of its device")
}}
