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

package api

import (
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceStatusOwners has several managers apply the status of devices, and leave some out later. Entries of other
// managers and those written by an update must stay.
var DeviceStatusOwners = harness.Case{Meta: spec.Meta{
	ID:       "api/device-status-owners",
	Checks:   "Device status applied by several managers stays until they change it or the claim is deallocated.",
	Requires: []spec.RequirementID{"kep-4817/status-kept", "resource-v1/device-status-keys"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.DeviceStatus}},
}, Run: func(t *harness.T) {
	t.Create(validClaim())
	edit.ClaimStatus(t, "claim", func(c *resourceapi.ResourceClaim) {
		withStatus(c)
		c.Status.Devices = nil
		third := c.Status.Allocation.Devices.Results[0]
		third.Device = "device-2"
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results, third)
	})
	applies := func(manager, devices string) {
		t.Step("apply as %s: %s", manager, devices)
		apply(t, "resourceclaims", "claim", manager, `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"claim"},"status":{`+devices+`}}`, "status")
	}
	entry := func(device string, number int) string {
		return fmt.Sprintf(`"devices":[{"driver":%q,"pool":"pool","device":%q,"data":{"number":%d}}]`, driver, device, number)
	}
	expect := func(what string, numbers map[string]string) {
		found := map[string]string{}
		for _, d := range t.Claim("claim").Status.Devices {
			found[d.Device] = string(d.Data.Raw)
		}
		t.Expect(found).To(gomega.Equal(numbers), "the status of the devices after %s", what)
	}
	applies("first", entry("device-0", 0))
	applies("second", entry("device-1", 1))
	edit.ClaimStatus(t, "claim", func(c *resourceapi.ResourceClaim) {
		c.Status.Devices = append(c.Status.Devices, statusOf(driver, "device-2", 2))
	})
	expect("two managers and an update", map[string]string{"device-0": `{"number":0}`, "device-1": `{"number":1}`, "device-2": `{"number":2}`})
	applies("first", entry("device-0", 3))
	expect("the first manager's change", map[string]string{"device-0": `{"number":3}`, "device-1": `{"number":1}`, "device-2": `{"number":2}`})
	applies("second", "")
	expect("the second manager has applied nothing", map[string]string{"device-0": `{"number":3}`, "device-2": `{"number":2}`})
}}
