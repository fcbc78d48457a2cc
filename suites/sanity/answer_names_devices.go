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

// answerNamesDevices is about: kubeletplugin.Device, kubernetes/kubernetes#141335.
var answerNamesDevices = Check{Meta: spec.Meta{
	ID:       "sanity/answer-names-devices",
	Checks:   "The answer has pool and name of each device of the claim once, and only requests satisfied by it.",
	Requires: []spec.RequirementID{"kep-4381/device-named-in-answer"},
}, Source: "kubeletplugin.Device, kubernetes/kubernetes#141335", Run: func(t *T) {
	devices := t.Devices(2)
	claim := t.Claim(nil, Want{Device: devices[0], Request: "one"}, Want{Device: devices[1], Request: "two"})
	answer := t.Prepare(claim, "a claim with two requests")
	if len(answer.GetDevices()) == 0 {
		t.NotApplicablef("the driver returns no devices, so containers get none by CDI")
	}
	t.expect(misnamed(t.Driver, claim, answer), "prepare a claim with two requests")
}}
