package sim

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceslice"

	"github.com/dra-conformance/dratest/framework/spec"
)

// driverResources is a profile as the pools of one node. Pools that do not fit
// into one ResourceSlice are split in order; a pool without devices is one
// empty slice, which says that the driver runs.
func driverResources(node string, profile spec.Profile) resourceslice.DriverResources {
	pools := map[string]resourceslice.Pool{}
	for _, pool := range profile.Pools {
		name := node
		if pool.Suffix != "" {
			name += "-" + pool.Suffix
		}
		pools[name] = resourceslice.Pool{Slices: split(pool)}
	}
	return resourceslice.DriverResources{Pools: pools}
}

// split keeps the limits of the API: counters and devices never share a slice.
func split(pool spec.Pool) []resourceslice.Slice {
	limit := resourceapi.ResourceSliceMaxDevices
	if slices.ContainsFunc(pool.Devices, isAdvanced) {
		limit = resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures
	}
	var parts []resourceslice.Slice
	for counters := range slices.Chunk(pool.SharedCounters, resourceapi.ResourceSliceMaxCounterSets) {
		parts = append(parts, resourceslice.Slice{SharedCounters: counters})
	}
	for devices := range slices.Chunk(pool.Devices, limit) {
		parts = append(parts, resourceslice.Slice{Devices: devices})
	}
	if len(parts) == 0 {
		parts = []resourceslice.Slice{{}}
	}
	return parts
}

// isAdvanced devices halve what fits into a slice.
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
