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

// severalDevices is about: kubeletplugin.DRAPlugin.
var severalDevices = Check{Meta: spec.Meta{
	ID:       "sanity/several-devices",
	Checks:   "All devices of a claim are prepared, for one request or for two, and unprepare undoes and frees all of them.",
	Requires: []spec.RequirementID{"kep-4381/device-named-in-answer", "kep-4381/unprepare-undoes-prepare"},
}, Source: "kubeletplugin.DRAPlugin", Run: func(t *T) {
	devices := t.Devices(2)
	before := t.CDI()
	for _, requests := range [][]string{{"req", "req"}, {"one", "two"}} {
		claim := t.Claim(nil, Want{Device: devices[0], Request: requests[0]}, Want{Device: devices[1], Request: requests[1]})
		answer := t.Prepare(claim, "a claim with two devices")
		t.named(claim, answer, "prepare a claim with two devices")
		t.expect(t.CDI().unresolved(ids(answer)), "prepare a claim with two devices")
		t.Unprepare(claim, "a claim with two devices")
		t.expect(t.CDI().left(before, claim, ids(answer)), "after unprepare of a claim with two devices")
		t.Delete(claim)
		for _, device := range devices {
			next := t.One(device)
			t.Prepare(next, "another claim for a device of a claim with two")
			t.Unprepare(next, "another claim for a device of a claim with two")
			t.Delete(next)
		}
	}
}}
