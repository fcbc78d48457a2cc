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
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
)

// otherDriversResults is about: kubernetes-sigs/dra-driver-nvidia-gpu#1371.
var otherDriversResults = Check{Meta: spec.Meta{
	ID:       "sanity/other-drivers-results",
	Checks:   "The driver ignores another driver's devices in a claim.",
	Requires: []spec.RequirementID{"kep-4381/driver-gets-claim"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#1371", Run: func(t *T) {
	device := t.Devices(1)[0]
	for _, foreign := range []Device{{Pool: "other-pool", Name: "other-device"}, device} {
		claim := t.Claim(nil, Want{Device: device, Request: "own"}, Want{Device: foreign, Request: "other", Driver: otherDriver})
		answer := t.Prepare(claim, "a claim with a device of another driver")
		for _, d := range answer.GetDevices() {
			if slices.Contains(d.GetRequestNames(), "other") || d.GetPoolName() == "other-pool" {
				t.Failf("the response has device %s of another driver", describe(d))
			}
		}
		t.Unprepare(claim, "a claim with a device of another driver")
		t.Delete(claim)
	}
}}

// otherDriver is a driver without any instance.
const otherDriver = "other.dratest.invalid"
