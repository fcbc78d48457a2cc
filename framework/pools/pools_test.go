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
	"testing"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func slice(driver, pool string, generation, count int64, devices ...resourceapi.Device) resourceapi.ResourceSlice {
	return resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{
		Driver: driver, NodeName: ptr.To("n"), Pool: resourceapi.ResourcePool{Name: pool, Generation: generation, ResourceSliceCount: count}, Devices: devices,
	}}
}

func named(names ...string) (all []resourceapi.Device) {
	for _, name := range names {
		all = append(all, resourceapi.Device{Name: name})
	}
	return all
}

func holder(name string, result resourceapi.DeviceRequestAllocationResult) resourceapi.ResourceClaim {
	c := resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
	c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "p"}}
	c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{result}}}
	return c
}

func TestDevices(t *testing.T) {
	perDevice := slice("d", "e", 1, 1, resourceapi.Device{Name: "x", NodeName: ptr.To("m")})
	perDevice.Spec.NodeName, perDevice.Spec.PerDeviceNodeSelection = nil, ptr.To(true)
	published := []resourceapi.ResourceSlice{
		slice("d", "b", 1, 1, named("z", "taken", "watched")...),
		slice("d", "a", 1, 1, named("old")...),
		slice("d", "a", 2, 2, resourceapi.Device{Name: "sick", Taints: []resourceapi.DeviceTaint{{Key: "gone", Effect: resourceapi.DeviceTaintEffectNoSchedule}}}),
		slice("d", "a", 2, 2, resourceapi.Device{Name: "noted", Taints: []resourceapi.DeviceTaint{{Key: "hm", Effect: resourceapi.DeviceTaintEffectNone}}}),
		slice("d", "half", 1, 2, named("y")...),
		slice("other", "b", 9, 1, named("z")...),
		perDevice,
	}
	claims := []resourceapi.ResourceClaim{
		{}, // not allocated
		holder("job", resourceapi.DeviceRequestAllocationResult{Driver: "d", Pool: "b", Device: "taken"}),
		holder("theirs", resourceapi.DeviceRequestAllocationResult{Driver: "other", Pool: "b", Device: "z"}),
		holder("admin", resourceapi.DeviceRequestAllocationResult{Driver: "d", Pool: "b", Device: "watched", AdminAccess: ptr.To(true)}),
	}
	type row struct{ Pool, Name, Node, Kept string }
	var got []row
	for _, d := range Devices("d", published, claims) {
		got = append(got, row{d.Pool, d.Name, d.Node, d.Kept})
	}
	want := []row{
		{"a", "noted", "n", ""},
		{"a", "sick", "n", "has taint gone"},
		{"b", "taken", "n", "is held by claim ns/job, in use by pods/p"},
		{"b", "watched", "n", ""},
		{"b", "z", "n", ""},
		{"e", "x", "m", ""},
		{"half", "y", "n", "cannot be used: pool half has 1 slices of generation 1, and says that it has 2"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("devices (-want +got):\n%s", d)
	}
}
