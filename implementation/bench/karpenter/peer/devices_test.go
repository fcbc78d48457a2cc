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

package peer

import (
	"testing"
	"unique"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling/dynamicresources"
)

func deviceID(device string) cloudprovider.DeviceID {
	return cloudprovider.DeviceID{Driver: unique.Make("d"), Pool: unique.Make("p"), Device: unique.Make(device)}
}

func allocated(name string, results ...resourceapi.DeviceRequestAllocationResult) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
	claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: results}}
	return claim
}

func TestDevicesInUse(t *testing.T) {
	share := func(gigabytes string) resourceapi.DeviceRequestAllocationResult {
		return resourceapi.DeviceRequestAllocationResult{
			Driver: "d", Pool: "p", Device: "shared", ShareID: ptr.To(types.UID(gigabytes)),
			ConsumedCapacity: map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse(gigabytes)},
		}
	}
	waits := allocated("waits")
	waits.Status.Allocation = nil
	state, err := inUse(t.Context(), newObjects(nil, []*resourceapi.ResourceClaim{
		allocated("a", resourceapi.DeviceRequestAllocationResult{Driver: "d", Pool: "p", Device: "whole"}, share("1Gi")),
		allocated("b", share("2Gi")), waits,
	}))
	if err != nil {
		t.Fatal(err)
	}
	if len(state.ExclusiveDevices) != 1 || !state.ExclusiveDevices.Has(deviceID("whole")) {
		t.Errorf("devices that one claim has: %v", state.ExclusiveDevices)
	}
	memory := state.ConsumedCapacity[deviceID("shared")]["memory"]
	if len(state.ConsumedCapacity) != 1 || memory.Cmp(resource.MustParse("3Gi")) != 0 {
		t.Errorf("capacity in use: %v", state.ConsumedCapacity)
	}
}

func TestExpectedSlices(t *testing.T) {
	slice := &resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{
		Driver: "d", Pool: resourceapi.ResourcePool{Name: "p"},
		SharedCounters: []resourceapi.CounterSet{{Name: "set"}},
		Devices: []resourceapi.Device{{
			Name:                     "dev",
			Attributes:               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"model": {StringValue: ptr.To("a")}},
			Capacity:                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("1Gi")}},
			AllowMultipleAllocations: ptr.To(true),
			ConsumesCounters:         []resourceapi.DeviceCounterConsumption{{CounterSet: "set"}},
		}, {Name: "plain"}},
	}}
	got := expected([]*resourceapi.ResourceSlice{slice})[0]
	if got.Driver.Value() != "d" || got.Pool.Name.Value() != "p" || len(got.SharedCounters) != 1 || len(got.Devices) != 2 {
		t.Fatalf("%+v", got)
	}
	device := got.Devices[0]
	if device.Name.Value() != "dev" || *device.Attributes["model"].StringValue != "a" || !device.AllowMultipleAllocations ||
		len(device.Capacity) != 1 || device.ConsumesCounters[0].CounterSet != "set" {
		t.Errorf("%+v", device)
	}
	if got.Devices[1].AllowMultipleAllocations {
		t.Error("a device is shared that does not say so")
	}
}

func TestAllocation(t *testing.T) {
	got := allocation([]dynamicresources.DeviceAllocationResult{
		{DeviceID: dynamicresources.DeviceID{DeviceID: deviceID("a")}, RequestName: dynamicresources.RequestName{Parent: "r"}},
		{DeviceID: dynamicresources.DeviceID{DeviceID: deviceID("b")}, RequestName: dynamicresources.RequestName{Parent: "r", Sub: "s"}},
	}).Devices.Results
	if len(got) != 2 || got[0].Request != "r" || got[0].Device != "a" || got[1].Request != "r/s" || got[1].Pool != "p" || got[1].Driver != "d" {
		t.Errorf("%+v", got)
	}
}
