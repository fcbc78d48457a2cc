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

package extended

import (
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// WaitsForDevice requests an extended resource without free devices.
var WaitsForDevice = harness.Case{Meta: spec.Meta{
	ID:       "extended/waits-for-device",
	Checks:   "A pod without a free device for its extended resource reports why, and runs when one becomes free.",
	Requires: []spec.RequirementID{"kep-5004/unschedulable-until-free", "kep-5004/claim-gone-with-pod"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	resource := createClass(t)
	one := map[string]int64{resource: 1}
	t.RunPod(objects.PodWanting("first", t.Image, one))
	t.Create(objects.PodWanting("second", t.Image, one))
	t.WaitUnschedulable("second", "cannot allocate all claims")

	t.RemovePod("first")

	t.WaitRunning("second")
	t.Expect(t.Environment("second", "main")).To(matchers.SeeOnlyDevices("device-0"), "devices of the pending pod")
}}
