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
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// manyDigits is a quantity above 64 bits, and halfOfMany a bit more than its half.
const manyDigits, halfOfMany = "20000000000000000001", "10000000000000000001"

// LargeCounters uses counters above 64 bits in turns (kubernetes#140518).
var LargeCounters = harness.Case{Meta: spec.Meta{
	ID:         "allocation/large-counters",
	Checks:     "Counters above 64 bits are taken and released like others, however often.",
	Requires:   []spec.RequirementID{"kep-4815/counters-freed", "kep-4815/counters-not-exceeded"},
	Needs:      spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.PartitionableDevices}},
	KnownIssue: issues.Known("kubernetes#140518"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	counter := func(value string) map[string]resourceapi.Counter {
		return map[string]resourceapi.Counter{"large": {Value: resource.MustParse(value)}}
	}
	var devices []resourceapi.Device
	for i := range 2 {
		devices = append(devices, resourceapi.Device{Name: fmt.Sprintf("device-%d", i), ConsumesCounters: []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: counter(halfOfMany)}}})
	}
	counters := t.Slice("pool", t.Nodes[0])
	counters.Name += "-counters"
	counters.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "set", Counters: counter(manyDigits)}}
	slice := t.Slice("pool", t.Nodes[0], devices...)
	slice.Spec.Pool.ResourceSliceCount, counters.Spec.Pool.ResourceSliceCount = 2, 2
	t.Create(slice, counters)
	for i := range 4 {
		name := fmt.Sprintf("round-%d", i)
		t.Create(objects.Claim(name, objects.Request("req", class)), objects.Pod(name, t.Image, name))
		if !scheduled(t, name) {
			t.KnownIssue("the counters are used up although no device is allocated, in round %d", i)
			return
		}
		wait(t, objects.Claim("next-"+name, objects.Request("req", class)))
		t.RemovePod("next-" + name)
		release(t, name)
	}
}}

// LargeCapacities requests shares of a capacity above 64 bits (kubernetes#140442, #140702).
var LargeCapacities = harness.Case{Meta: spec.Meta{
	ID:         "allocation/large-capacities",
	Checks:     "A capacity is never exceeded, also by amounts above 64 bits.",
	Requires:   []spec.RequirementID{"kep-5075/capacity-not-exceeded", "kep-5075/beyond-policy-not-allocated"},
	Needs:      spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ConsumableCapacity}},
	KnownIssue: issues.Known("kubernetes#140442"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	large, small := shared("large", map[string]resourceapi.DeviceCapacity{"large": amount(manyDigits)}), shared("small", map[string]resourceapi.DeviceCapacity{"small": ranged("8", "1", "1", "", "1")})
	large.Attributes = device("large", map[string]any{"name": "large"}).Attributes
	t.Publish("pool", t.Nodes[0], large, small)
	// 2^64+2 is 2 in 64 bits.
	beyond := objects.Claim("beyond", capacity("req", class, map[string]string{"small": "18446744073709551618"}))
	t.Create(beyond, objects.Pod("beyond", t.Image, "beyond"))
	if scheduledOr(t, "beyond", "") {
		t.KnownIssue("a device with a capacity of 8 is allocated for a request of 2^64+2")
		return
	}
	t.RemovePod("beyond")
	half := func(name string) *resourceapi.ResourceClaim {
		return objects.Claim(name, capacity("req", class, map[string]string{"large": halfOfMany}))
	}
	whole := func(request string) resourceapi.DeviceRequest {
		return objects.Request(request, class, "has("+t.Attribute("name")+")") // without an amount, a share takes all
	}
	wait(t, objects.Claim("twice", whole("a"), whole("b")))
	t.Expect(use(t, half("half"))).To(matchers.HaveDevices("large"), "a bit more than half of the capacity")
	wait(t, half("other"))
}}
