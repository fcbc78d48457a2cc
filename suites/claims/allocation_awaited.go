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

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/controlplane"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AllocationAwaited holds the write of an allocation back and creates another pod with the claim. A
// scheduler that writes in its scheduling cycle schedules no pod meanwhile.
var AllocationAwaited = harness.Case{Meta: spec.Meta{
	ID:       "claims/allocation-awaited",
	Checks:   "While an allocation is being written, another pod with the claim waits, and pods without claims are scheduled.",
	Requires: []spec.RequirementID{"kep-4381/claim-being-allocated-waits", "kep-4381/no-api-calls-in-cycle"},
	Needs:    spec.Needs{NoKubelet: true, OneAPIServer: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 2)
	hold := allocating(t, objects.Claim("claim", objects.Request("req", class)))
	t.Create(objects.Pod("second", t.Image, "claim"), objects.Pod("without", t.Image))
	t.WaitScheduled("without")
	t.WaitUnschedulable("second", "")

	controlplane.Release(t, hold)
	first, second := t.WaitScheduled("pod"), t.WaitScheduled("second")
	t.Expect(t.Claim("claim")).To(matchers.BeReservedFor(first, second), "consumers of the claim")
}}

// allocating creates a claim and a pod using it, named "pod", and holds the write of the allocation back.
func allocating(t *harness.T, claim *resourceapi.ResourceClaim) *controlplane.Hold {
	t.Create(claim)
	hold := controlplane.HoldStatusUpdates(t)
	t.Create(objects.Pod("pod", t.Image, claim.Name))
	controlplane.WaitHeld(t, hold, 1)
	return hold
}
