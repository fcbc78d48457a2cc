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

package sanity

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/pools"
)

func published(pool string, generation, count int64, devices ...resourceapi.Device) resourceapi.ResourceSlice {
	return resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{
		Driver: "d", Pool: resourceapi.ResourcePool{Name: pool, Generation: generation, ResourceSliceCount: count}, Devices: devices,
	}}
}

func consuming(name, set string) resourceapi.Device {
	return resourceapi.Device{Name: name, ConsumesCounters: []resourceapi.DeviceCounterConsumption{{CounterSet: set}}}
}

func TestCandidates(t *testing.T) {
	one := resource.MustParse("1Gi")
	capacity := map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
		"memory": {Value: resource.MustParse("8Gi"), RequestPolicy: &resourceapi.CapacityRequestPolicy{Default: &one}},
	}
	got := candidates(pools.Devices("d", []resourceapi.ResourceSlice{
		published("b", 1, 1, resourceapi.Device{Name: "z"}, resourceapi.Device{Name: "taken"}),
		published("a", 1, 1, resourceapi.Device{Name: "old"}),
		published("a", 2, 2, resourceapi.Device{Name: "shared", AllowMultipleAllocations: ptr.To(true), Capacity: capacity}),
		published("a", 2, 2, resourceapi.Device{Name: "tainted", Taints: []resourceapi.DeviceTaint{{Key: "sick"}}},
			consuming("part-1", "gpu-0"), consuming("part-2", "gpu-0"), consuming("part-3", "gpu-1"), consuming("part-4", "gpu-1"),
			resourceapi.Device{Name: "fabric", BindingConditions: []string{"x"}}),
		published("incomplete", 1, 2, resourceapi.Device{Name: "y"}),
	}, []resourceapi.ResourceClaim{
		{}, // not allocated
		{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "holder"}, Status: claim("u", resourceapi.DeviceRequestAllocationResult{Driver: "d", Pool: "b", Device: "taken"}, resourceapi.DeviceRequestAllocationResult{Driver: "other", Pool: "b", Device: "z"},
			resourceapi.DeviceRequestAllocationResult{Driver: "d", Pool: "a", Device: "part-4"}).Status},
	}))
	want := []candidate{
		{Device: Device{Pool: "a", Name: "tainted"}, kept: "has taint sick"},
		{Device: Device{Pool: "b", Name: "taken"}, kept: "is held by claim ns/holder"},
		{Device: Device{Pool: "b", Name: "z"}},
		{Device: Device{Pool: "incomplete", Name: "y"}, kept: "cannot be used: pool incomplete has 1 slices of generation 1, and says that it has 2"},
		{Device: Device{Pool: "a", Name: "part-1", part: true}},
		{Device: Device{Pool: "a", Name: "part-3", part: true}, kept: "shares counters with device part-4, which is in use"},
		{Device: Device{Pool: "a", Name: "part-4", part: true}, kept: "is held by claim ns/holder"},
		{Device: Device{Pool: "a", Name: "shared", Capacity: map[resourceapi.QualifiedName]resource.Quantity{"memory": one}, Total: map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse("8Gi")}}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(candidate{}, Device{})); diff != "" {
		t.Errorf("devices (-want +got):\n%s", diff)
	}
}

// Devices of a fabric belong to no node.
func TestSlicesForTheNode(t *testing.T) {
	of := func(name string, change func(*resourceapi.ResourceSliceSpec)) *resourceapi.ResourceSlice {
		s := published(name, 1, 1, devices("a")...)
		s.Name = name
		change(&s.Spec)
		return &s
	}
	local := of("local", func(s *resourceapi.ResourceSliceSpec) { s.NodeName = ptr.To("n") })
	remote := of("remote", func(s *resourceapi.ResourceSliceSpec) { s.NodeName = ptr.To("m") })
	everywhere := of("everywhere", func(s *resourceapi.ResourceSliceSpec) { s.AllNodes = ptr.To(true) })
	for want, all := range map[string][]*resourceapi.ResourceSlice{"local": {remote, everywhere, local}, "everywhere": {remote, everywhere}, "": {remote}} {
		w := (&testDriver{}).served(t)
		for _, s := range all {
			if _, err := w.Client.ResourceV1().ResourceSlices().Create(t.Context(), s, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		got, err := w.published(t.Context())
		var names []string
		for _, s := range got {
			names = append(names, s.Name)
		}
		if err != nil || strings.Join(names, " ") != want {
			t.Errorf("%v: slices %v, want %q", err, names, want)
		}
	}
}
