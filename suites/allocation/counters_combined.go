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
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// partitions publishes devices sharing a counter of 8Gi.
func partitions(t *harness.T, partitions ...resourceapi.Device) (devices, counters *resourceapi.ResourceSlice) {
	devices, counters = t.Slice("pool", t.Nodes[0], partitions...), t.Slice("pool", t.Nodes[0])
	counters.Name += "-counters"
	counters.Spec.SharedCounters = profiles.Partitions().Pools[0].SharedCounters
	devices.Spec.Pool.ResourceSliceCount, counters.Spec.Pool.ResourceSliceCount = 2, 2
	t.Create(devices, counters)
	return devices, counters
}

// AllWithCounters requests all devices of a class, each with a part of one counter (kubernetes#138882).
var AllWithCounters = harness.Case{Meta: spec.Meta{
	ID:       "allocation/all-with-counters",
	Checks:   "A request for all devices takes their shared counters, too.",
	Requires: []spec.RequirementID{"kep-4815/counters-not-exceeded"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.PartitionableDevices}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	partitions(t, profiles.Partitions().Pools[0].Devices...)
	model := func(name string) string { return t.Attribute(profiles.Model) + " == '" + name + "'" }

	t.Expect(use(t, objects.Claim("halves", all("req", class, model(profiles.Half))))).To(matchers.HaveDevices("device-1", "device-2"), "all halves")
	wait(t, objects.Claim("whole", all("req", class, model(profiles.Whole))))
	release(t, "halves")
	t.Expect(used(t, "whole")).To(matchers.HaveDevices("device-0"), "the whole, when the halves are free")
}}

// CountersAfterRefusal has a constraint refuse a device after its counters were taken (kubernetes#140431).
var CountersAfterRefusal = harness.Case{Meta: spec.Meta{
	ID:       "allocation/counters-after-refusal",
	Checks:   "A device refused by a constraint leaves its shared counters to the claim's other devices.",
	Requires: []spec.RequirementID{"kep-4815/counters-not-exceeded", "kep-4381/match-attribute"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.PartitionableDevices}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	half := profiles.Partitions().Pools[0].Devices[1]
	var devices []resourceapi.Device
	for _, d := range []struct{ name, group string }{{"a-left", "a"}, {"b", "b"}, {"a-right", "a"}} {
		next := *half.DeepCopy()
		next.Name, next.Attributes = d.name, device(d.name, map[string]any{"group": d.group}).Attributes
		devices = append(devices, next)
	}
	partitions(t, devices...)

	t.Expect(use(t, constrained(objects.Claim("pair", count("req", class, 2)), match(t, "group")))).To(matchers.HaveDevices("a-left", "a-right"), "devices of one group")
}}

// AdminAccessCounters asks for admin access to a partition in use.
var AdminAccessCounters = harness.Case{Meta: spec.Meta{
	ID:       "allocation/admin-access-counters",
	Checks:   "Admin access to a device neither needs nor takes shared counters.",
	Requires: []spec.RequirementID{"kep-5018/admin-access-shares"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.AdminAccess, spec.PartitionableDevices}},
	KnownIssue: &spec.KnownIssue{
		Issue: "kubernetes#140729", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
		Does: "A request with admin access needs free shared counters.",
	},
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

// PartitionWithdrawn unpublishes a partition in use.
var PartitionWithdrawn = harness.Case{Meta: spec.Meta{
	ID:       "allocation/partition-withdrawn",
	Checks:   "The shared counters of an allocated device stay taken while it is unpublished.",
	Requires: []spec.RequirementID{"kep-4815/counters-not-exceeded"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.PartitionableDevices}},
	KnownIssue: &spec.KnownIssue{
		Issue: "kubernetes#140802", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
		Does: "Shared counters of allocated devices are free again once the devices are unpublished.",
	},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	pool := profiles.Partitions().Pools[0].Devices
	devices, _ := partitions(t, pool...)
	model := func(name string) string { return t.Attribute(profiles.Model) + " == '" + name + "'" }
	t.Expect(use(t, objects.Claim("half", objects.Request("req", class, model(profiles.Half))))).To(matchers.HaveDevices("device-1"), "a half")
	edit.Slice(t, devices.Name, func(s *resourceapi.ResourceSlice) { s.Spec.Devices = []resourceapi.Device{pool[0], pool[2]} })
	plain := profiles.Device(3, "plain", "8Gi")
	edit.Slice(t, devices.Name, func(s *resourceapi.ResourceSlice) { s.Spec.Devices = append(s.Spec.Devices, plain) })
	t.Expect(use(t, objects.Claim("plain", objects.Request("req", class, model("plain"))))).To(matchers.HaveDevices("device-3"), "device without counters")

	t.Create(objects.Claim("whole", objects.Request("req", class, model(profiles.Whole))), objects.Pod("whole", t.Image, "whole"))
	if scheduled(t, "whole") {
		t.KnownIssue("a device is allocated that needs counters of an unpublished device in use")
	}
	release(t, "half")
	t.Expect(used(t, "whole")).To(matchers.HaveDevices("device-0"), "the whole, when the half is free")
}}

// ShareWithdrawn makes a shared device exclusive while it is in use.
var ShareWithdrawn = harness.Case{Meta: spec.Meta{
	ID:       "allocation/share-withdrawn",
	Checks:   "A device with a share in use is allocated to nobody after it stopped allowing several allocations.",
	Requires: []spec.RequirementID{"kep-5075/not-shared-by-default"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ConsumableCapacity}},
	KnownIssue: &spec.KnownIssue{
		Issue: "kubernetes#140798", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
		Does: "A device with a share in use is allocated as a whole after it stopped allowing several allocations.",
	},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	device := profiles.Device(0, "shared", "8Gi")
	device.AllowMultipleAllocations = ptr.To(true)
	pool := t.Publish("pool", t.Nodes[0], device)
	use(t, objects.Claim("share", capacity("req", class, map[string]string{profiles.Memory: "1Gi"})))
	exclusive := profiles.Device(0, "exclusive", "8Gi")
	exclusive.Capacity = nil
	edit.Slice(t, pool.Name, func(s *resourceapi.ResourceSlice) {
		s.Spec.Devices = []resourceapi.Device{exclusive, profiles.Device(1, "other", "8Gi")}
	})
	t.Expect(use(t, objects.Claim("other", objects.Request("req", class, t.Attribute(profiles.Model)+" == 'other'")))).To(matchers.HaveDevices("device-1"), "the new device")

	t.Create(objects.Claim("whole", objects.Request("req", class)), objects.Pod("whole", t.Image, "whole"))
	if scheduled(t, "whole") {
		t.KnownIssue("a device is allocated as a whole while another claim has a share of it")
	}
	release(t, "share")
	t.Expect(used(t, "whole")).To(matchers.HaveDevices("device-0"), "the device, when its share is free")
}}
