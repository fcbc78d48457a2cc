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
	"strconv"
	"strings"
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SliceFull stores a slice at all limits of the core together: 128 devices of 32 attributes each with
// the longest names and values. This must not exceed a limit of requests or of the store.
var SliceFull = harness.Case{Meta: spec.Meta{
	ID:       "api/slice-full",
	Checks:   "A slice at all core limits is stored unchanged, and can be listed and updated.",
	Requires: []spec.RequirementID{"kep-4381/slice-128-devices", "kep-4381/attributes-and-capacities-32", "resource-v1/slice-at-all-limits"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	storesAll(t, fullDevices(t, resourceapi.ResourceSliceMaxDevices))
}}

// SliceFullFeatures stores slices at all limits of features together: 64 devices with 32 attributes, 16 taints and 32
// counters of 2 sets each, and 8 sets of 32 counters.
var SliceFullFeatures = harness.Case{Meta: spec.Meta{
	ID:       "api/slice-full-features",
	Checks:   "Slices at all limits of optional features are stored unchanged, and can be listed and updated.",
	Requires: []spec.RequirementID{"resource-v1/slice-64-devices-with-features", "kep-5055/taints-16", "kep-4815/consumptions-2", "kep-4815/counter-sets-8", "resource-v1/slice-at-all-limits"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.DeviceTaints, spec.PartitionableDevices}},
}, Run: func(t *harness.T) {
	counters := map[string]resourceapi.Counter{}
	for i := range resourceapi.ResourceSliceMaxCountersPerCounterSet {
		counters[longest(63, i)] = resourceapi.Counter{Value: resource.MustParse("80Gi")}
	}
	added := metav1.NewTime(time.Date(2024, time.May, 1, 12, 0, 0, 0, time.UTC))
	devices := fullDevices(t, resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures)
	for i := range devices.Spec.Devices {
		d := &devices.Spec.Devices[i]
		d.Taints = numbered(resourceapi.DeviceTaintsMaxLength, func(i int) resourceapi.DeviceTaint {
			return resourceapi.DeviceTaint{Key: longDomain(i) + "/" + longest(63, i), Value: longest(63, i), Effect: resourceapi.DeviceTaintEffectNoSchedule, TimeAdded: &added}
		})
		d.ConsumesCounters = numbered(resourceapi.ResourceSliceMaxDeviceCounterConsumptionsPerDevice, func(i int) resourceapi.DeviceCounterConsumption {
			return resourceapi.DeviceCounterConsumption{CounterSet: longest(63, i), Counters: counters}
		})
	}
	storesAll(t, devices)
	sets := onlyOn(t, objects.NetworkSlice(t.Namespace+"-counters", driver, t.Namespace))
	sets.Spec.SharedCounters = numbered(resourceapi.ResourceSliceMaxCounterSets, func(i int) resourceapi.CounterSet {
		return resourceapi.CounterSet{Name: longest(63, i), Counters: counters}
	})
	storesAll(t, sets)
}}

// fullDevices returns a slice with n devices, each with all attributes.
func fullDevices(t *harness.T, n int) *resourceapi.ResourceSlice {
	attributes := map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
	for i := range resourceapi.ResourceSliceMaxAttributesAndCapacitiesPerDevice {
		value := longest(resourceapi.DeviceAttributeMaxValueLength, i)
		name := longest(resourceapi.DeviceMaxDomainLength, i) + "/" + longest(resourceapi.DeviceMaxIDLength, i)
		attributes[resourceapi.QualifiedName(name)] = resourceapi.DeviceAttribute{StringValue: &value}
	}
	return onlyOn(t, objects.NetworkSlice(t.Namespace, driver, t.Namespace, numbered(n, func(i int) resourceapi.Device {
		return resourceapi.Device{Name: longest(63, i), Attributes: attributes}
	})...))
}

// storesAll creates, lists and changes a slice, and expects no loss.
func storesAll(t *harness.T, slice *resourceapi.ResourceSlice) {
	want := slice.Spec.DeepCopy()
	slices := t.Client.ResourceV1().ResourceSlices()
	t.Create(slice)
	list, err := slices.List(t.Context(), metav1.ListOptions{FieldSelector: metav1.ObjectNameField + "=" + slice.Name})
	t.NoError(err, "list slice %s", slice.Name)
	t.Expect(list.Items).To(gomega.HaveLen(1), "the slices in the list")
	t.Expect(list.Items[0].Spec).To(gomega.BeComparableTo(*want), "the slice in the list")
	patched, err := slices.Patch(t.Context(), slice.Name, types.MergePatchType, []byte(`{"spec":{"pool":{"generation":2}}}`), metav1.PatchOptions{})
	t.NoError(err, "patch the pool's generation")
	patched.Spec.Pool.Generation = 3
	updated, err := slices.Update(t.Context(), patched, metav1.UpdateOptions{})
	t.NoError(err, "update the pool's generation")
	want.Pool.Generation = 3
	t.Expect(updated.Spec).To(gomega.BeComparableTo(*want), "the slice after its pool's generation was changed")
}

// longest returns a name of n characters with a number at its end.
func longest(n, number int) string {
	end := strconv.Itoa(number)
	return characters(n-len(end)) + end
}

// longDomain returns a DNS name of 253 characters with a number at its end.
func longDomain(number int) string {
	label := characters(63)
	return strings.Join([]string{label, label, label, longest(61, number)}, ".")
}
