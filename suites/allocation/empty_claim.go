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

package allocation

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// EmptyClaim has a pod use a claim without requests.
var EmptyClaim = harness.Case{Meta: spec.Meta{
	ID:       "allocation/empty-claim",
	Checks:   "A claim without requests is allocated without devices and reserved for its pod.",
	Requires: []spec.RequirementID{"kep-4381/empty-claim-allocated"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("empty"), objects.Pod("pod", t.Image, "empty"))
	pod := t.WaitScheduled("pod")
	claim := t.Claim("empty")
	t.Expect(claim.Status.Allocation).NotTo(gomega.BeNil(), "allocation of the claim without requests")
	t.Expect(claim).To(matchers.HaveDevices(), "devices")
	t.Expect(claim).To(matchers.BeReservedFor(pod), "reservations")
}}
