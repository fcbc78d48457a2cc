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

package core

import (
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceAppears lets a pod wait for a device.
var DeviceAppears = harness.Case{Meta: spec.Meta{
	ID:       "core/device-appears",
	Checks:   "A pod without a matching device stays pending with a reason, and is scheduled once a device is published.",
	Requires: []spec.RequirementID{"kep-4381/unschedulable-says-why", "kep-4381/slice-change-retries"},
	Needs:    spec.Needs{Profile: profiles.Empty()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	t.Create(objects.Pod("pod", t.Image, "claim"))
	t.WaitUnschedulable("pod", "cannot allocate all claims")

	simdriver.Of(t).Publish(profiles.OneDevice())

	t.WaitRetried("pod")
	t.WaitRunning("pod")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeDevices("claim", "req", "device-0"), "the new device")
}}
