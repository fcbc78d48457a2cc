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

// BesideClaims shares the devices of a class between a claim and an extended resource. The next pod
// waits.
var BesideClaims = harness.Case{Meta: spec.Meta{
	ID:       "extended/beside-claims",
	Checks:   "A device allocated to a claim is not allocated to an extended resource.",
	Requires: []spec.RequirementID{"kep-5004/no-partition", "kep-5004/unschedulable-until-free"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.TwoDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	resource := createClass(t)
	t.Create(objects.Claim("claim", objects.Request("req", t.DriverName())))
	t.RunPod(objects.Pod("with-claim", t.Image, "claim"))
	taken := t.WaitAllocated("claim").Status.Allocation.Devices.Results[0].Device
	left := map[string]string{"device-0": "device-1", "device-1": "device-0"}[taken]

	t.RunPod(objects.PodWanting("without", t.Image, map[string]int64{resource: 1}))

	t.Expect(t.Environment("with-claim", "main")).To(matchers.SeeOnlyDevices(taken), "the claim's device")
	t.Expect(t.Environment("without", "main")).To(matchers.SeeOnlyDevices(left), "the device left by the claim")
	t.Create(objects.PodWanting("late", t.Image, map[string]int64{resource: 1}))
	t.WaitUnschedulable("late", "cannot allocate all claims")
}}
