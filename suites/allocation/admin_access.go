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

package allocation

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AdminAccess requests devices in use by others.
var AdminAccess = harness.Case{Meta: spec.Meta{
	ID:       "allocation/admin-access",
	Checks:   "A request for all devices with admin access includes those in use, and takes none from others.",
	Requires: []spec.RequirementID{"kep-5018/admin-in-result", "kep-5018/admin-off-by-default", "kep-5018/all-with-admin-access"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.AdminAccess}},
}, Run: func(t *harness.T) {
	edit.AllowAdminAccess(t)
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], profiles.Device(0, "a", "8Gi"), profiles.Device(1, "a", "8Gi"))
	asks := func(name string, admin *bool) *resourceapi.ResourceClaim {
		request := all("req", class)
		request.Exactly.AdminAccess = admin
		return objects.Claim(name, request)
	}
	marks := func(claim *resourceapi.ResourceClaim) []bool {
		var marks []bool
		for _, r := range claim.Status.Allocation.Devices.Results {
			marks = append(marks, ptr.Deref(r.AdminAccess, false))
		}
		return marks
	}

	t.Expect(marks(use(t, objects.Claim("user", objects.Request("req", class))))).To(gomega.Equal([]bool{false}), "marks of an ordinary device")
	admin := use(t, asks("admin", ptr.To(true)))
	t.Expect(admin).To(matchers.HaveDevices("device-0", "device-1"), "all devices, one of them in use")
	t.Expect(marks(admin)).To(gomega.Equal([]bool{true, true}), "marks of devices with admin access")
	one, two := objects.Request("one", class), objects.Request("two", class)
	one.Exactly.AdminAccess, two.Exactly.AdminAccess = ptr.To(true), ptr.To(true)
	t.Expect(use(t, objects.Claim("pair", one, two))).To(matchers.HaveDevices("device-0", "device-1"), "one device per request with admin access")
	wait(t, asks("silent", nil))
	wait(t, asks("refusing", ptr.To(false)))
	t.Expect(use(t, objects.Claim("second-user", objects.Request("req", class)))).To(matchers.HaveDevices("device-1"), "a device with admin access")
}}

// AdminAccessCounters asks for admin access to a partition in use.
var AdminAccessCounters = harness.Case{Meta: spec.Meta{
	ID:         "allocation/admin-access-counters",
	Checks:     "Admin access to a device neither needs nor takes shared counters.",
	Requires:   []spec.RequirementID{"kep-5018/admin-access-shares"},
	Needs:      spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.AdminAccess, spec.PartitionableDevices}},
	KnownIssue: issues.Known("kubernetes#140729"),
}, Run: func(t *harness.T) {
	edit.AllowAdminAccess(t)
	class := t.CreateClass(nil)
	partitions(t, profiles.Partitions().Pools[0].Devices...)
	request := objects.Request("req", class, t.Attribute(profiles.Model)+" == '"+profiles.Whole+"'")
	t.Expect(use(t, objects.Claim("user", request))).To(matchers.HaveDevices("device-0"), "device with all of the counter")

	admin := *request.DeepCopy()
	admin.Exactly.AdminAccess = ptr.To(true)
	t.Create(objects.Claim("admin", admin), objects.Pod("admin", t.Image, "admin"))
	if !scheduled(t, "admin") {
		t.KnownIssue("a pod with admin access to a device in use waits for shared counters")
		return
	}
	t.Expect(t.Claim("admin")).To(matchers.HaveDevices("device-0"), "device with admin access")
}}

// AdminAccessFirst has one pod with admin access to the device of its other claim.
var AdminAccessFirst = harness.Case{Meta: spec.Meta{
	ID:         "allocation/admin-access-first",
	Checks:     "Admin access in a pod's first claim leaves the device to its second claim.",
	Requires:   []spec.RequirementID{"kep-5018/admin-access-shares"},
	Needs:      spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.AdminAccess}},
	KnownIssue: issues.Known("admin-access-first"),
}, Run: func(t *harness.T) {
	edit.AllowAdminAccess(t)
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], profiles.Device(0, "a", "8Gi"))
	use(t, objects.Claim("earlier", objects.Request("req", class)))
	release(t, "earlier")
	monitor := objects.Request("req", class)
	monitor.Exactly.AdminAccess = ptr.To(true)
	t.Create(objects.Claim("monitor", monitor), objects.Claim("user", objects.Request("req", class)), objects.Pod("both", t.Image, "monitor", "user"))
	if !scheduled(t, "both") {
		t.KnownIssue("a pod with admin access to the only device waits for it with its other claim")
		return
	}
	t.Expect(t.Claim("monitor")).To(matchers.HaveDevices("device-0"), "device with admin access")
	t.Expect(t.Claim("user")).To(matchers.HaveDevices("device-0"), "ordinary device")
}}
