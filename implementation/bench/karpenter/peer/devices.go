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
	"context"
	"fmt"
	"unique"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/dynamicresources/deviceallocation"
	"sigs.k8s.io/karpenter/pkg/scheduling/dynamicresources"
)

// inUse is the result of karpenter's device allocation controller for the claims. No pod is being
// deleted.
func inUse(ctx context.Context, o *objects) (dynamicresources.AllocatedDeviceState, error) {
	state := dynamicresources.AllocatedDeviceState{
		ExclusiveDevices: sets.New[cloudprovider.DeviceID](),
		ConsumedCapacity: map[cloudprovider.DeviceID]map[resourceapi.QualifiedName]resource.Quantity{},
	}
	controller := deviceallocation.NewController(o)
	controller.Hydrate(ctx)
	devices, err := controller.AllocatedDevices(ctx)
	if err != nil {
		return state, fmt.Errorf("read devices in use: %w", err)
	}
	for id, device := range devices {
		switch {
		case !device.Shared:
			state.ExclusiveDevices.Insert(id)
		case len(device.ConsumedCapacity) > 0:
			state.ConsumedCapacity[id] = device.ConsumedCapacity
		}
	}
	return state, nil
}

func published(slices []*resourceapi.ResourceSlice) []dynamicresources.ResourceSlice {
	all := make([]dynamicresources.ResourceSlice, len(slices))
	for i, slice := range slices {
		all[i] = dynamicresources.NewAPIServerSlice(slice)
	}
	return all
}

// expected are the slices of a future node. Fields missing in karpenter's templates are omitted:
// taints, binding conditions, and per-device node selection.
func expected(slices []*resourceapi.ResourceSlice) []*cloudprovider.ResourceSliceTemplate {
	all := make([]*cloudprovider.ResourceSliceTemplate, len(slices))
	for i, slice := range slices {
		template := &cloudprovider.ResourceSliceTemplate{
			Driver:         unique.Make(slice.Spec.Driver),
			Pool:           cloudprovider.ResourcePool{Name: unique.Make(slice.Spec.Pool.Name)},
			SharedCounters: slice.Spec.SharedCounters,
		}
		for _, device := range slice.Spec.Devices {
			template.Devices = append(template.Devices, cloudprovider.Device{
				Name: unique.Make(device.Name), Attributes: device.Attributes, Capacity: device.Capacity,
				AllowMultipleAllocations: ptr.Deref(device.AllowMultipleAllocations, false),
				ConsumesCounters:         device.ConsumesCounters,
			})
		}
		all[i] = template
	}
	return all
}

// allocation is karpenter's choice for a claim; template devices keep their template names.
func allocation(chosen []dynamicresources.DeviceAllocationResult) resourceapi.AllocationResult {
	var result resourceapi.AllocationResult
	for _, c := range chosen {
		result.Devices.Results = append(result.Devices.Results, resourceapi.DeviceRequestAllocationResult{
			Request: c.RequestName.String(),
			Driver:  c.DeviceID.Driver.Value(), Pool: c.DeviceID.Pool.Value(), Device: c.DeviceID.Device.Value(),
			ConsumedCapacity: c.ConsumedCapacity,
		})
	}
	return result
}
