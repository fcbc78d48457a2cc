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

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SameNameAgain has a pod wait for a claim, created, deleted and recreated.
var SameNameAgain = harness.Case{Meta: spec.Meta{
	ID:            "claims/same-name-again",
	Checks:        "A pod waits for a missing claim; a claim recreated under the same name gets a device of its own.",
	Requires:      []spec.RequirementID{"kep-4381/waits-for-missing-claim", "kep-4381/claim-events-retry", "kep-4381/recreated-claim-allocated-anew"},
	Needs:         spec.Needs{NoKubelet: true, Alone: true},
	SerialBecause: "Changes to other pods and devices would also retry the waiting pod.",
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 3)
	index := func(number int) string { return fmt.Sprintf("%s == %d", t.Attribute(profiles.Index), number) }
	t.Create(objects.Pod("pod", t.Image, "claim"))
	waits(t, "pod", class)
	t.Create(objects.Claim("claim", objects.Request("req", class, index(1))))
	t.WaitRetried("pod")
	old := t.Claim("claim")
	t.Expect(old).To(matchers.HaveDevices("device-1"), "device of the first claim")

	t.Delete(old)
	t.RemovePod("pod")
	t.WaitClaimGone("claim")
	t.Create(objects.Claim("claim", objects.Request("again", class, index(2))), objects.Pod("pod", t.Image, "claim"))
	pod := t.WaitScheduled("pod")
	claim := t.Claim("claim")
	t.Expect(claim).To(matchers.HaveDevices("device-2"), "device of the second claim")
	t.Expect(claim).To(matchers.BeReservedFor(pod), "reservations of the second claim")
	t.Create(objects.Claim("other", objects.Request("req", class, index(1))), objects.Pod("other", t.Image, "other"))
	t.WaitScheduled("other")
}}
