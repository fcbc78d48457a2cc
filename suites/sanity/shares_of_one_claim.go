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

package sanity

import (
	"github.com/dra-conformance/dratest/framework/spec"
)

// sharesOfOneClaim is about: resource.k8s.io/v1, DeviceRequestAllocationResult.ShareID.
var sharesOfOneClaim = Check{Meta: spec.Meta{
	ID:       "sanity/shares-of-one-claim",
	Checks:   "Two requests of a claim sharing a device are both answered, with their own shares if any are named.",
	Requires: []spec.RequirementID{"kep-4381/device-named-in-answer", "plugin-api/share-in-answer"},
}, Source: "resource.k8s.io/v1, DeviceRequestAllocationResult.ShareID", Run: func(t *T) {
	device := t.SharedDevice()
	before := t.CDI()
	claim := t.Claim(nil, Want{Device: device, Request: "one"}, Want{Device: device, Request: "two"})
	answer := t.Prepare(claim, "a claim with two shares of a device")
	t.named(claim, answer, "prepare a claim with two shares of a device")
	t.expect(t.CDI().unresolved(ids(answer)), "prepare a claim with two shares of a device")
	t.Unprepare(claim, "a claim with two shares of a device")
	t.expect(t.CDI().left(before, claim, ids(answer)), "after unprepare of a claim with two shares of a device")
}}
