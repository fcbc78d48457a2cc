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

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Counters writes invalid counter sets and devices with invalid counters: at most 32 counters in a set, and 32 used
// of each of at most 2 sets.
var Counters = harness.Case{Meta: spec.Meta{
	ID:     "api/counters",
	Checks: "A slice has devices or at most 8 counter sets, within the limits for counters; others are rejected.",
	Requires: []spec.RequirementID{
		"kep-4815/devices-or-counters", "kep-4815/counter-set-names-unique", "kep-4815/counter-sets-8", "kep-4815/counter-names-label",
		"kep-4815/counters-32", "kep-4815/consumption-once-per-set", "kep-4815/consumptions-2",
	},
	Needs: spec.Needs{NoNode: true, Features: []spec.Feature{spec.PartitionableDevices}},
}, Run: func(t *harness.T) {
	judgeSlices(t, sliceWithCounters, counterSetRules()...)
	judgeSlices(t, validSlice, consumptionRules()...)

	t.Step("write two counters of one name")
	const before, after = `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"dratest-api"},"spec":{"driver":"` + driver +
		`","pool":{"name":"pool","generation":1,"resourceSliceCount":1},"allNodes":true,"sharedCounters":[{"name":"set","counters":{"a":{"value":"1"},`, `}}]}}`
	t.NoError(createRaw(t, "resourceslices", before+`"b":{"value":"2"}`+after), "create a slice with two counters")
	twice := createRaw(t, "resourceslices", before+`"a":{"value":"2"}`+after)
	if problem := notStrict(twice, `duplicate field "spec.sharedCounters[0].counters.a"`); problem != "" {
		t.Fatalf("two counters of one name: %s", problem)
	}
}}

func counters(n int) map[string]resourceapi.Counter {
	all := map[string]resourceapi.Counter{}
	for i := range n {
		all[name("counter", i)] = resourceapi.Counter{Value: resource.MustParse("1")}
	}
	return all
}

func sliceWithCounters() *resourceapi.ResourceSlice {
	s := validSlice()
	s.Spec.Devices, s.Spec.SharedCounters = nil, []resourceapi.CounterSet{{Name: "set", Counters: counters(1)}}
	return s
}

func counterSetRules() []rule[*resourceapi.ResourceSlice] {
	sets := func(change func(*[]resourceapi.CounterSet)) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) { change(&s.Spec.SharedCounters) }
	}
	several := func(n int) func(*resourceapi.ResourceSlice) {
		return sets(func(all *[]resourceapi.CounterSet) {
			*all = numbered(n, func(i int) resourceapi.CounterSet {
				return resourceapi.CounterSet{Name: name("set", i), Counters: counters(1)}
			})
		})
	}
	and := func(name string) func(*resourceapi.ResourceSlice) {
		return sets(func(all *[]resourceapi.CounterSet) {
			*all = append(*all, resourceapi.CounterSet{Name: name, Counters: counters(1)})
		})
	}
	named := func(name string) func(*resourceapi.ResourceSlice) {
		return sets(func(all *[]resourceapi.CounterSet) { (*all)[0].Name = name })
	}
	of := func(n int) func(*resourceapi.ResourceSlice) {
		return sets(func(all *[]resourceapi.CounterSet) { (*all)[0].Counters = counters(n) })
	}
	counter := func(name string) func(*resourceapi.ResourceSlice) {
		return sets(func(all *[]resourceapi.CounterSet) {
			(*all)[0].Counters = map[string]resourceapi.Counter{name: {Value: resource.MustParse("1")}}
		})
	}
	devices := func(s *resourceapi.ResourceSlice) {
		s.Spec.Devices, s.Spec.SharedCounters = []resourceapi.Device{{Name: "device"}}, nil
	}
	both := func(s *resourceapi.ResourceSlice) { s.Spec.Devices = []resourceapi.Device{{Name: "device"}} }
	const set = "spec.sharedCounters[0]"
	return []rule[*resourceapi.ResourceSlice]{
		{"counter sets and devices", devices, both, "spec", invalid},
		{"nine counter sets", several(8), several(9), "spec.sharedCounters", tooMany},
		{"two counter sets of one name", and("other"), and("set"), "spec.sharedCounters[1]", duplicate},
		{"a counter set without a name", named("s"), named(""), set + ".name", required},
		{"a counter set with a capital", named("set"), named("Set"), set + ".name", invalid},
		{"a counter set of 64 characters", named(characters(63)), named(characters(64)), set + ".name", invalid},
		{"a counter set without counters", of(1), of(0), set + ".counters", required},
		{"33 counters", of(32), of(33), set + ".counters", tooMany},
		{"a counter with a capital", counter("memory"), counter("Memory"), set + ".counters", invalid},
		{"a counter with a dot", counter("memory-0"), counter("memory.0"), set + ".counters", invalid},
		{"a counter of 64 characters", counter(characters(63)), counter(characters(64)), set + ".counters", invalid},
	}
}

func consumptionRules() []rule[*resourceapi.ResourceSlice] {
	using := func(all ...resourceapi.DeviceCounterConsumption) func(*resourceapi.ResourceSlice) {
		return onDevice(func(d *resourceapi.Device) { d.ConsumesCounters = all })
	}
	of := func(set string) resourceapi.DeviceCounterConsumption {
		return resourceapi.DeviceCounterConsumption{CounterSet: set, Counters: counters(1)}
	}
	so := func(n int) resourceapi.DeviceCounterConsumption {
		return resourceapi.DeviceCounterConsumption{CounterSet: "set", Counters: counters(n)}
	}
	counter := func(name string) resourceapi.DeviceCounterConsumption {
		return resourceapi.DeviceCounterConsumption{CounterSet: "set", Counters: map[string]resourceapi.Counter{name: {Value: resource.MustParse("1")}}}
	}
	devices := func(n, using int) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) {
			s.Spec.Devices = numbered(n, func(i int) resourceapi.Device {
				d := resourceapi.Device{Name: name("device", i)}
				if i < using {
					d.ConsumesCounters = []resourceapi.DeviceCounterConsumption{of("set")}
				}
				return d
			})
		}
	}
	const device = "spec.devices[0].consumesCounters"
	return []rule[*resourceapi.ResourceSlice]{
		{"counters of three sets", using(of("a"), of("b")), using(of("a"), of("b"), of("c")), device, tooMany},
		{"counters of one set twice", using(of("a"), of("b")), using(of("a"), of("a")), device + "[1]", duplicate},
		{"counters of no set", using(of("a")), using(of("")), device + "[0].counterSet", required},
		{"counters of a set with a capital", using(of("a")), using(of("A")), device + "[0].counterSet", invalid},
		{"no counters of a set", using(so(1)), using(so(0)), device + "[0].counters", required},
		{"33 counters of a set", using(so(32)), using(so(33)), device + "[0].counters", tooMany},
		{"a counter of a set with a capital", using(counter("a")), using(counter("A")), device + "[0].counters", invalid},
		{"65 devices, one of them with counters", devices(64, 1), devices(65, 1), "spec.devices", tooMany},
		{fmt.Sprintf("%d devices, one of them with counters", resourceapi.ResourceSliceMaxDevices), devices(resourceapi.ResourceSliceMaxDevices, 0),
			devices(resourceapi.ResourceSliceMaxDevices, 1), "spec.devices", tooMany},
	}
}
