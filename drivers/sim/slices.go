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

package sim

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/dynamic-resource-allocation/resourceslice"

	"github.com/dra-conformance/dratest/framework/spec"
)

// split divides a pool in order into as many slices as the API's limits require; counters and devices never share
// one. A pool without devices is one empty slice, showing that the driver runs.
func split(pool spec.Pool) []resourceapi.ResourceSlice {
	limit := resourceapi.ResourceSliceMaxDevices
	if slices.ContainsFunc(pool.Devices, isAdvanced) {
		limit = resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures
	}
	var parts []resourceapi.ResourceSlice
	for counters := range slices.Chunk(pool.SharedCounters, resourceapi.ResourceSliceMaxCounterSets) {
		parts = append(parts, resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{SharedCounters: counters}})
	}
	for devices := range slices.Chunk(pool.Devices, limit) {
		parts = append(parts, resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{Devices: devices}})
	}
	if len(parts) == 0 {
		parts = []resourceapi.ResourceSlice{{}}
	}
	return parts
}

// resources is an inventory as the helper takes it.
func resources(node string, profile spec.Profile) resourceslice.DriverResources {
	all := resourceslice.DriverResources{Pools: map[string]resourceslice.Pool{}}
	for _, pool := range profile.Pools {
		var parts []resourceslice.Slice
		for _, part := range split(pool) {
			parts = append(parts, resourceslice.Slice{Devices: part.Spec.Devices, SharedCounters: part.Spec.SharedCounters})
		}
		all.Pools[poolName(node, pool)] = resourceslice.Pool{Slices: parts}
	}
	return all
}

// isAdvanced devices halve a slice's device limit.
func isAdvanced(device resourceapi.Device) bool {
	if len(device.Taints) > 0 || len(device.ConsumesCounters) > 0 {
		return true
	}
	for _, attribute := range device.Attributes {
		if len(attribute.StringValues)+len(attribute.IntValues)+len(attribute.BoolValues)+len(attribute.VersionValues) > 0 {
			return true
		}
	}
	return false
}

// sameDevices reports whether two slices publish the same; the API server's own additions, such as the time of a
// taint, are ignored.
func sameDevices(a, b resourceapi.ResourceSlice) bool {
	return a.Spec.Pool.ResourceSliceCount == b.Spec.Pool.ResourceSliceCount &&
		resourceslice.DevicesDeepEqual(a.Spec.Devices, b.Spec.Devices) &&
		equality.Semantic.DeepEqual(a.Spec.SharedCounters, b.Spec.SharedCounters)
}

// unmapped returns devices without node resources.
func unmapped(devices []resourceapi.Device) []resourceapi.Device {
	devices = slices.Clone(devices)
	for i := range devices {
		devices[i].NodeAllocatableResources = nil
	}
	return devices
}
