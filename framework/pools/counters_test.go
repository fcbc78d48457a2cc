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

package pools

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestWrongCounters(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(sets, devices *resourceapi.ResourceSlice)
		want   []string
	}{
		"good": {func(_, _ *resourceapi.ResourceSlice) {}, nil},
		"no set": {func(_, devices *resourceapi.ResourceSlice) {
			devices.Spec.Devices[0].ConsumesCounters[0].CounterSet = "other"
		}, []string{
			"pool p, device device-0: there is no set other",
		}},
		"no counter": {func(sets, _ *resourceapi.ResourceSlice) {
			sets.Spec.SharedCounters[0].Counters = map[string]resourceapi.Counter{"other": {}}
		}, []string{
			"pool p, device device-0: set device has no counter memory",
			"pool p, device device-1: set device has no counter memory",
			"pool p, device device-2: set device has no counter memory",
		}},
		"twice": {func(sets, _ *resourceapi.ResourceSlice) {
			sets.Spec.SharedCounters = append(sets.Spec.SharedCounters, sets.Spec.SharedCounters[0])
		}, []string{
			"pool p: set device is there twice",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			sets, devices := resourceapi.ResourceSlice{}, resourceapi.ResourceSlice{}
			memory := func(amount string) map[string]resourceapi.Counter {
				return map[string]resourceapi.Counter{"memory": {Value: resource.MustParse(amount)}}
			}
			sets.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "device", Counters: memory("8Gi")}}
			for i, amount := range []string{"8Gi", "4Gi", "4Gi"} {
				devices.Spec.Devices = append(devices.Spec.Devices, resourceapi.Device{
					Name: fmt.Sprintf("device-%d", i), ConsumesCounters: []resourceapi.DeviceCounterConsumption{{CounterSet: "device", Counters: memory(amount)}},
				})
			}
			tc.change(&sets, &devices)
			got := Pool{Name: "p", Slices: []resourceapi.ResourceSlice{sets, devices}}.WrongCounters()
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestIsPartition: memory slices of a GPU may be one counter each, taken completely by a partition.
func TestIsPartition(t *testing.T) {
	one := resourceapi.Counter{Value: resource.MustParse("1")}
	set := map[string]resourceapi.Counter{"slice-0": one, "slice-1": one}
	pool := Pool{Slices: []resourceapi.ResourceSlice{{Spec: resourceapi.ResourceSliceSpec{SharedCounters: []resourceapi.CounterSet{{Name: "gpu", Counters: set}}}}}}
	for name, tc := range map[string]struct {
		uses map[string]resourceapi.Counter
		want bool
	}{
		"whole": {set, false}, "a slice": {map[string]resourceapi.Counter{"slice-1": one}, true}, "nothing": {nil, false},
	} {
		var d Device
		if tc.uses != nil {
			d.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "gpu", Counters: tc.uses}}
		}
		if got := pool.IsPartition(d); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestLeastShare(t *testing.T) {
	quantity := func(text string) *resource.Quantity { q := resource.MustParse(text); return &q }
	device := Device{Device: resourceapi.Device{Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
		"range":  {Value: resource.MustParse("8Gi"), RequestPolicy: &resourceapi.CapacityRequestPolicy{ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: quantity("2Gi")}}},
		"values": {Value: resource.MustParse("8"), RequestPolicy: &resourceapi.CapacityRequestPolicy{ValidValues: []resource.Quantity{*quantity("3"), *quantity("4")}}},
		"any":    {Value: resource.MustParse("8Gi")},
		"little": {Value: resource.MustParse("500m")},
	}}}
	want := map[resourceapi.QualifiedName]resource.Quantity{"range": *quantity("2Gi"), "values": *quantity("3"), "any": *quantity("1"), "little": *quantity("500m")}
	if d := cmp.Diff(want, device.LeastShare()); d != "" {
		t.Error(d)
	}
}
