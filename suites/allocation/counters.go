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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Counters allocates partitions of a device until its counters are used up.
var Counters = harness.Case{Meta: spec.Meta{
	ID:       "allocation/counters",
	Checks:   "Partitions are allocated exactly until their shared counters are used up, and released counters are reusable.",
	Requires: []spec.RequirementID{"kep-4815/counters-freed", "kep-4815/capacity-value-fixed"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.PartitionableDevices}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	devices, counters := partitions(t, profiles.Partitions().Pools[0].Devices...)
	model := func(name string) string { return t.Attribute(profiles.Model) + " == '" + name + "'" }
	half := func(name string) *resourceapi.ResourceClaim {
		return objects.Claim(name, objects.Request("req", class, model(profiles.Half)))
	}

	t.Expect(use(t, half("half"))).To(matchers.HaveDevices("device-1"), "a half")
	wait(t, objects.Claim("whole", objects.Request("req", class, model(profiles.Whole))))
	t.Expect(use(t, half("other-half"))).To(matchers.HaveDevices("device-2"), "the other half")
	release(t, "half")
	release(t, "other-half")
	t.Expect(used(t, "whole")).To(matchers.HaveDevices("device-0"), "the whole, when both halves are free")
	wait(t, half("no-half"))
	for _, s := range []*resourceapi.ResourceSlice{devices, counters} {
		now, err := t.Client.ResourceV1().ResourceSlices().Get(t.Context(), s.Name, metav1.GetOptions{})
		t.NoError(err, "get slice %s", s.Name)
		t.Expect(now.ResourceVersion).To(gomega.Equal(s.ResourceVersion), "version of slice %s", s.Name)
	}
}}

// AllWithCounters requests all devices of two classes, each with a part of its driver's counter (kubernetes#138882). Both
// drivers have a pool of the same name (kubernetes#140435).
var AllWithCounters = harness.Case{Meta: spec.Meta{
	ID:       "allocation/all-with-counters",
	Checks:   "A request for all devices takes their shared counters, too.",
	Requires: []spec.RequirementID{"kep-4815/counters-not-exceeded"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.PartitionableDevices}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	partitions(t, profiles.Partitions().Pools[0].Devices...)
	other := objects.Class("other."+t.DriverName(), "other."+t.DriverName())
	t.Create(other)
	partitionsOf(t, other.Name, profiles.Halves().Pools[0].Devices...)
	model := func(name string) string { return t.Attribute(profiles.Model) + " == '" + name + "'" }

	halves := use(t, objects.Claim("halves", all("req", class, model(profiles.Half)), all("other", other.Name)))
	t.Expect(results(halves)).To(gomega.ConsistOf("req=pool/device-1", "req=pool/device-2", "other=pool/device-1", "other=pool/device-2"), "all halves of both drivers")
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

// partitions publishes devices sharing a counter of 8Gi.
func partitions(t *harness.T, partitions ...resourceapi.Device) (devices, counters *resourceapi.ResourceSlice) {
	return partitionsOf(t, t.DriverName(), partitions...)
}

// partitionsOf is partitions for any driver.
func partitionsOf(t *harness.T, driver string, partitions ...resourceapi.Device) (devices, counters *resourceapi.ResourceSlice) {
	devices, counters = t.Slice("pool", t.Nodes[0], partitions...), t.Slice("pool", t.Nodes[0])
	for _, s := range []*resourceapi.ResourceSlice{devices, counters} {
		s.Name, s.Spec.Driver = "pool-"+driver, driver
	}
	counters.Name += "-counters"
	counters.Spec.SharedCounters = profiles.Partitions().Pools[0].SharedCounters
	devices.Spec.Pool.ResourceSliceCount, counters.Spec.Pool.ResourceSliceCount = 2, 2
	t.Create(devices, counters)
	return devices, counters
}
