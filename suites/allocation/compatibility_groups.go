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
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CompatibilityGroups allocates devices of one counter set in different groups.
var CompatibilityGroups = harness.Case{Meta: spec.Meta{
	ID:       "allocation/compatibility-groups",
	Checks:   "Devices sharing a counter set are allocated together only with a common compatibility group.",
	Requires: []spec.RequirementID{"kep-5963/common-group", "kep-5963/groups-per-counter-set", "kep-5963/no-groups", "kep-5963/groups-of-pool"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.PartitionableDevices, spec.CompatibilityGroups}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	units := func(number string) map[string]resourceapi.Counter {
		return map[string]resourceapi.Counter{"units": {Value: resource.MustParse(number)}}
	}
	in := func(name, set string, groups ...string) resourceapi.Device {
		d := device(name, map[string]any{"name": name})
		d.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: set, Counters: units("1"), CompatibilityGroups: groups}}
		return d
	}
	publish := func(pool string, list ...resourceapi.Device) {
		devices, counters := t.Slice(pool, t.Nodes[0], list...), t.Slice(pool, t.Nodes[0])
		counters.Name += "-counters"
		counters.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "first", Counters: units("10")}, {Name: "second", Counters: units("10")}}
		devices.Spec.Pool.ResourceSliceCount, counters.Spec.Pool.ResourceSliceCount = 2, 2
		t.Create(devices, counters)
	}
	publish("pool", in("xy", "first", "x", "y"), in("yz", "first", "y", "z"), in("zx", "first", "z", "x"), in("y", "first", "y"),
		in("none", "first"), in("empty", "first", []string{}...), in("second", "second", "v"))
	publish("other", in("other", "first", "v"))
	named := func(name string) *resourceapi.ResourceClaim {
		return objects.Claim(name, objects.Request("req", class, t.Attribute("name")+" == '"+name+"'"))
	}

	use(t, named("xy"))
	use(t, named("yz"))
	wait(t, named("zx")) // one group in common with each of them, and none with both
	wait(t, named("none"))
	use(t, named("y"))
	use(t, named("second"))
	use(t, named("other"))
	t.RemovePod("zx")
	release(t, "xy")
	release(t, "yz")
	release(t, "y")
	used(t, "none")
	use(t, named("empty"))
	wait(t, objects.Claim("grouped", objects.Request("req", class, t.Attribute("name")+" in ['xy', 'yz']")))
	release(t, "none")
	release(t, "empty")
	t.Expect(used(t, "grouped")).To(matchers.HaveDevices("xy"), "a device with groups, when none without is used")
}}
