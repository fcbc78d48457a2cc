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

package scheduler

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// taintedDevice returns a device of an allocated claim with an untolerated NoExecute taint, or nil. No
// further pod may reserve such a claim (resource.k8s.io/v1, ExactDeviceRequest.Tolerations). Slices of
// older pool generations do not count. It reads all slices, so it is only for shared and leftover
// claims, not for pending ones.
func (pl *Plugin) taintedDevice(claim *resourceapi.ResourceClaim) (*resourceapi.DeviceRequestAllocationResult, error) {
	if !pl.features.DeviceTaints {
		return nil, nil
	}
	published, err := pl.dra.ResourceSlices().ListWithDeviceTaintRules()
	if err != nil {
		return nil, fmt.Errorf("list resource slices: %w", err)
	}
	results := claim.Status.Allocation.Devices.Results
	for i := range results {
		if slices.ContainsFunc(taintsOf(published, &results[i]), func(taint resourceapi.DeviceTaint) bool {
			return taint.Effect == resourceapi.DeviceTaintEffectNoExecute && !slices.ContainsFunc(results[i].Tolerations,
				func(t resourceapi.DeviceToleration) bool { return resourceclaim.ToleratesTaint(t, taint) })
		}) {
			return &results[i], nil
		}
	}
	return nil, nil
}

// taintsOf returns the taints of an allocated device in the newest generation of its pool.
func taintsOf(published []*resourceapi.ResourceSlice, result *resourceapi.DeviceRequestAllocationResult) []resourceapi.DeviceTaint {
	var taints []resourceapi.DeviceTaint
	newest := int64(-1)
	for _, slice := range published {
		if slice.Spec.Driver != result.Driver || slice.Spec.Pool.Name != result.Pool || slice.Spec.Pool.Generation < newest {
			continue
		}
		if slice.Spec.Pool.Generation > newest {
			newest, taints = slice.Spec.Pool.Generation, nil
		}
		for i := range slice.Spec.Devices {
			if slice.Spec.Devices[i].Name == result.Device {
				taints = append(taints, slice.Spec.Devices[i].Taints...)
			}
		}
	}
	return taints
}
