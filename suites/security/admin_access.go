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

package security

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AdminAccess gives an administrator's pod access to devices in use. Requests without admin access,
// or with false, do not get it. They get a free device even while an administrator has all.
var AdminAccess = harness.Case{Meta: spec.Meta{
	ID:       "security/admin-access",
	Checks:   "A request with admin access gets all devices, even those in use, and the allocation records the admin access.",
	Requires: []spec.RequirementID{"kep-5018/all-with-admin-access", "kep-5018/admin-in-result", "kep-5018/admin-off-by-default"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.AdminAccess}, Profile: profiles.TwoDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	edit.AllowAdminAccess(t)
	class, node := t.CreateClass(nil), t.Nodes[0]
	all, refused := objects.Request("req", class), objects.Request("req", class)
	all.Exactly.AllocationMode, all.Exactly.AdminAccess = resourceapi.DeviceAllocationModeAll, ptr.To(true)
	refused.Exactly.AdminAccess = ptr.To(false)
	t.Create(objects.Claim("before", objects.Request("req", class)), objects.Claim("all", all), objects.Claim("after", refused), objects.Claim("late", objects.Request("req", class)))

	for _, name := range []string{"before", "all", "after"} {
		t.RunPod(objects.OnlyOn(objects.Pod(name, t.Image, name), node))
	}

	t.Expect(t.Claim("all")).To(matchers.HaveDevices("device-0", "device-1"), "devices of the administrator's claim")
	t.Expect(t.Environment("all", "main")).To(matchers.SeeOnlyDevices("device-0", "device-1"), "devices of the administrator's pod")
	var own []string
	for name, admin := range map[string]bool{"before": false, "all": true, "after": false} {
		for _, r := range t.Claim(name).Status.Allocation.Devices.Results {
			t.Expect(ptr.Deref(r.AdminAccess, false)).To(gomega.Equal(admin), "whether device %s of claim %s is allocated with admin access", r.Device, name)
			if !admin {
				own = append(own, r.Device)
			}
		}
	}
	t.Expect(own).To(gomega.ConsistOf("device-0", "device-1"), "devices of the claims without admin access, one each")
	t.Create(objects.OnlyOn(objects.Pod("late", t.Image, "late"), node))
	t.WaitUnschedulable("late", "cannot allocate all claims")
}}
