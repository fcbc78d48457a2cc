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
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceStatus reuses a claim after its device was freed.
var DeviceStatus = harness.Case{Meta: spec.Meta{
	ID:       "core/device-status",
	Checks:   "A driver that reports device status in claims reports it for each allocated device, and again after reallocation.",
	Requires: []spec.RequirementID{"kep-4817/status-kept"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.DeviceStatus}, Profile: profiles.WritingStatus(profiles.OneDevice()), Devices: 1, DriverFeatures: []spec.DriverFeature{spec.DriverDeviceStatus},
	},
	Catches: []spec.MutantID{"driver-without-status"},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	for _, name := range []string{"first", "second"} {
		t.RunPod(t.Pod(name, "claim"))
		claim := t.WaitClaim("claim", "described by its driver", func(c *resourceapi.ResourceClaim) bool { return len(untold(c, t.DriverName())) == 0 })
		t.Driver.ExpectDevices(name, "main", claim)
		t.RemovePod(name)
		t.AwaitReleased("claim")
	}
}}

// untold returns a driver's devices in a claim without a status.
func untold(c *resourceapi.ResourceClaim, driver string) []string {
	if c.Status.Allocation == nil {
		return []string{"the claim is not allocated"}
	}
	var all []string
	for _, r := range c.Status.Allocation.Devices.Results {
		if r.Driver == driver && objects.DeviceStatus(c, r) == nil {
			all = append(all, fmt.Sprintf("{driver:%s pool:%s device:%s share:%s}", r.Driver, r.Pool, r.Device, ptr.Deref(r.ShareID, "")))
		}
	}
	return all
}
