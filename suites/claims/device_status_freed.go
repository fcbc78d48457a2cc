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
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceStatusFreed removes the only pod of a claim with device status.
var DeviceStatusFreed = harness.Case{Meta: spec.Meta{
	ID:       "claims/device-status-freed",
	Checks:   "A claim with device status is deallocated after its only pod is gone, and the status goes with the allocation.",
	Requires: []spec.RequirementID{"kep-4381/deallocate-after-last", "kep-4817/status-kept"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceStatus}},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	allocated(t, "claim", class, objects.Consumer(held(t, "pod", "claim")))
	reported := edit.ClaimStatus(t, "claim", func(c *resourceapi.ResourceClaim) {
		device := c.Status.Allocation.Devices.Results[0]
		c.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Driver: device.Driver, Pool: device.Pool, Device: device.Device}}
	})
	t.Expect(reported.Status.Devices).To(gomega.HaveLen(1), "the devices with status")
	t.RemovePod("pod")
	t.Expect(t.WaitDeallocated("claim").Status).To(gomega.Equal(resourceapi.ResourceClaimStatus{}), "the status of the claim after its pod is gone")
}}
