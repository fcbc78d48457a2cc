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
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/harness/published"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AdminAccess adds and removes an administrator's pod while another pod uses the device.
var AdminAccess = harness.Case{Meta: spec.Meta{
	ID:       "core/admin-access",
	Checks:   "A pod with admin access sees a device in use, and its end does not take the device from the other pod.",
	Requires: []spec.RequirementID{"kep-5018/admin-access-shares", "kep-5018/admin-in-result"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.AdminAccess}, Profile: profiles.OneDevice(), Devices: 1, DriverFeatures: []spec.DriverFeature{spec.DriverAdminAccess},
	},
	Catches: []spec.MutantID{"driver-unprepare-all"},
}, Run: func(t *harness.T) {
	edit.AllowAdminAccess(t)
	t.Create(objects.Claim("user", t.Driver.Request("req")))
	user := t.Pod("user", "user")
	user.Spec.RestartPolicy = corev1.RestartPolicyAlways
	node := t.RunPod(user).Spec.NodeName
	claim := t.WaitAllocated("user")
	t.Driver.ExpectDevices("user", "main", claim)
	own := claim.Status.Allocation.Devices.Results[0]
	_, device := published.Device(t, own.Pool, own.Device)
	if len(device.ConsumesCounters) > 0 || ptr.Deref(device.AllowMultipleAllocations, false) {
		t.Blockedf("device %s of pool %s draws on counters or is shared, and Kubernetes looks at counters and capacity for admin access, too (kubernetes#140729): declare a class of other devices with features: [%s]",
			own.Device, own.Pool, spec.DriverAdminAccess)
	}

	// All devices of the node like the one in use, to include it.
	request := t.Driver.Request("req")
	request.Exactly.AdminAccess, request.Exactly.AllocationMode = ptr.To(true), resourceapi.DeviceAllocationModeAll
	request.Exactly.Selectors = append(request.Exactly.Selectors, objects.LikeDevice(own.Driver, device.Device)...)
	request.Exactly.Tolerations = append(request.Exactly.Tolerations, resourceapi.DeviceToleration{Operator: resourceapi.DeviceTolerationOpExists})
	t.Create(objects.Claim("admin", request))
	t.RunPod(objects.OnlyOn(t.Pod("admin", "admin"), node))
	admin := t.WaitAllocated("admin")
	t.Expect(admin.Status.Allocation.Devices.Results).To(gomega.ContainElement(gomega.And(
		gomega.HaveField("Pool", own.Pool), gomega.HaveField("Device", own.Device), gomega.HaveField("AdminAccess", gomega.HaveValue(gomega.BeTrue())),
	)), "devices allocated to the administrator's claim, including the user's")
	t.Driver.ExpectDevices("admin", "main", admin)

	expectUnharmed(t, "user", "admin")
}}
