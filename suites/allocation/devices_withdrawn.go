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
	"context"
	"strings"

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

// DevicesWithdrawn takes devices out of the inventory while they are allocated.
var DevicesWithdrawn = harness.Case{Meta: spec.Meta{
	ID:       "allocation/devices-withdrawn",
	Checks:   "A claim keeps its allocation while its device is unpublished, and the device is still the claim's afterwards.",
	Requires: []spec.RequirementID{"kep-4381/slice-removal-keeps-allocation", "kep-4381/more-allocated-than-published", "kep-4381/driver-gone-not-scheduled"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	devices := profiles.FourDevices().Pools[0].Devices
	pool := t.Publish("pool", t.Nodes[0], devices[:2]...)
	two := use(t, objects.Claim("two", count("req", class, 2)))

	edit.Slice(t, pool.Name, func(s *resourceapi.ResourceSlice) { s.Spec.Devices = devices[2:3] })
	t.Expect(use(t, objects.Claim("third", objects.Request("req", class)))).To(matchers.HaveDevices("device-2"), "the only published device")
	wait(t, objects.Claim("fourth", objects.Request("req", class)))
	t.Delete(pool)
	t.Create(objects.Claim("fifth", objects.Request("req", class)), objects.Pod("fifth", t.Image, "fifth"))
	t.WaitUnschedulable("fifth", noDevices)
	t.Expect(t.Claim("two").Status).To(gomega.Equal(two.Status), "status of the claim after its devices were withdrawn")

	t.Publish("pool", t.Nodes[0], devices[0], devices[1], devices[3])
	t.Poll("one of the two pods to be scheduled", func(context.Context) (bool, string, error) {
		var got []string
		for _, name := range []string{"fourth", "fifth"} {
			got = append(got, results(t.Claim(name))...)
		}
		return len(got) > 0, strings.Join(got, " "), nil
	})
	t.Expect(append(results(t.Claim("fourth")), results(t.Claim("fifth"))...)).To(gomega.Equal([]string{"req=pool/device-3"}), "the only free device")
	t.Expect(t.Claim("two").Status).To(gomega.Equal(two.Status), "status of the claim after its devices returned")
}}

// PartitionWithdrawn unpublishes a partition in use.
var PartitionWithdrawn = harness.Case{Meta: spec.Meta{
	ID:         "allocation/partition-withdrawn",
	Checks:     "The shared counters of an allocated device stay taken while it is unpublished.",
	Requires:   []spec.RequirementID{"kep-4815/counters-not-exceeded"},
	Needs:      spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.PartitionableDevices}},
	KnownIssue: issues.Known("kubernetes#140802"),
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
	ID:         "allocation/share-withdrawn",
	Checks:     "A device with a share in use is allocated to nobody after it stopped allowing several allocations.",
	Requires:   []spec.RequirementID{"kep-5075/not-shared-by-default"},
	Needs:      spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ConsumableCapacity}},
	KnownIssue: issues.Known("kubernetes#140798"),
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
