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
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Taints writes devices with invalid taints: a label name, a label value and the effect None, NoSchedule or NoExecute
// are valid.
var Taints = harness.Case{Meta: spec.Meta{
	ID:     "api/taints",
	Checks: "A device has at most 16 valid taints, timed on creation, and a slice with taints at most 64 devices.",
	Requires: []spec.RequirementID{
		"kep-5055/taints-16", "kep-5055/taint-label", "kep-5055/taint-effects", "kep-5055/taint-time-added", "resource-v1/slice-64-devices-with-features",
	},
	Needs: spec.Needs{NoNode: true, Features: []spec.Feature{spec.DeviceTaints, spec.PartitionableDevices}},
}, Run: func(t *harness.T) {
	judgeSlices(t, validSlice, taintRules("spec.devices[0].taints[0]", func(taint resourceapi.DeviceTaint) func(*resourceapi.ResourceSlice) {
		return onDevice(func(d *resourceapi.Device) { d.Taints = []resourceapi.DeviceTaint{taint} })
	})...)
	taint := func(i int) resourceapi.DeviceTaint {
		return resourceapi.DeviceTaint{Key: name("key", i), Effect: resourceapi.DeviceTaintEffectNone}
	}
	tainted := func(n int) func(*resourceapi.ResourceSlice) {
		return onDevice(func(d *resourceapi.Device) { d.Taints = numbered(n, taint) })
	}
	devices := func(n int, change func(*resourceapi.Device)) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) {
			s.Spec.Devices = numbered(n, func(i int) resourceapi.Device { return resourceapi.Device{Name: name("device", i)} })
			change(&s.Spec.Devices[n-1])
		}
	}
	one := func(d *resourceapi.Device) { d.Taints = numbered(1, taint) }
	uses := func(d *resourceapi.Device) {
		d.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: counters(1)}}
	}
	const most, mostWithout = resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures, resourceapi.ResourceSliceMaxDevices
	judgeSlices(t, validSlice, []rule[*resourceapi.ResourceSlice]{
		{"17 taints", tainted(16), tainted(17), "spec.devices[0].taints", tooMany},
		{"65 devices with one taint", devices(most, one), devices(most+1, one), "spec.devices", tooMany},
		{"128 devices with one taint", devices(mostWithout, func(*resourceapi.Device) {}), devices(mostWithout, one), "spec.devices", tooMany},
		{"65 devices, one of them with a counter", devices(most, uses), devices(most+1, uses), "spec.devices", tooMany},
	}...)

	before := time.Now().Add(-clockSkew)
	given := metav1.NewTime(time.Date(2024, time.May, 1, 12, 0, 0, 0, time.UTC))
	second := taint(1)
	second.TimeAdded = &given
	slice := objects.NetworkSlice(t.Namespace, driver, "pool", resourceapi.Device{Name: "device", Taints: []resourceapi.DeviceTaint{taint(0), second}})
	t.Create(slice)
	stored, err := t.Client.ResourceV1().ResourceSlices().Get(t.Context(), slice.Name, metav1.GetOptions{})
	t.NoError(err, "get the slice")
	taints := stored.Spec.Devices[0].Taints
	t.Expect(taints[0].TimeAdded).NotTo(gomega.BeNil(), "the time of a taint without one")
	t.Expect(taints[0].TimeAdded.Time).To(gomega.And(gomega.BeTemporally(">=", before), gomega.BeTemporally("<=", time.Now().Add(clockSkew))),
		"the time of a taint without one")
	t.Expect(taints[1].TimeAdded.Time.UTC()).To(gomega.Equal(given.Time), "the time of a taint with a time")
}}

// clockSkew is the maximal difference between the clocks of the cluster and of this machine.
const clockSkew = time.Minute

// taintRules are the rules for a taint in the field, set by tainted.
func taintRules[O any](field string, tainted func(resourceapi.DeviceTaint) func(O)) []rule[O] {
	of := func(key, value string, effect resourceapi.DeviceTaintEffect) func(O) {
		return tainted(resourceapi.DeviceTaint{Key: key, Value: value, Effect: effect})
	}
	const none, noSchedule, noExecute = resourceapi.DeviceTaintEffectNone, resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNoExecute
	return []rule[O]{
		{"a taint without a key", of("k", "", none), of("", "", none), field + ".key", invalid},
		{"a key with a blank", of("a-key", "", none), of("a key", "", none), field + ".key", invalid},
		{"a key with two slashes", of("a.b/c", "", none), of("a.b/c/d", "", none), field + ".key", invalid},
		{"a key of 64 characters", of("a/"+characters(63), "", none), of("a/"+characters(64), "", none), field + ".key", invalid},
		{"a value with a blank", of("key", "a-value", none), of("key", "a value", none), field + ".value", invalid},
		{"a value with a slash", of("key", "A.value_1", none), of("key", "a/value", none), field + ".value", invalid},
		{"a value of 64 characters", of("key", characters(63), none), of("key", characters(64), none), field + ".value", invalid},
		{"a taint without an effect", of("key", "", none), of("key", "", ""), field + ".effect", required},
		{"an effect valid only for nodes", of("key", "", noSchedule), of("key", "", "PreferNoSchedule"), field + ".effect", notSupported},
		{"an effect in small letters", of("key", "", noExecute), of("key", "", "noExecute"), field + ".effect", notSupported},
	}
}
