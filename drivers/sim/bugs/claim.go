package bugs

import (
	"context"
	"errors"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

func otherDriversResults(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return changed(driver, func(claim *resourceapi.ResourceClaim) {
		for i := range claim.Status.Allocation.Devices.Results {
			claim.Status.Allocation.Devices.Results[i].Driver = place.Driver
		}
	})
}

// subrequestConfig takes a configuration only for results whose request it names to the
// letter: "foo" is not "foo/bar".
func subrequestConfig(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return changed(driver, func(claim *resourceapi.ResourceClaim) {
		allocation := &claim.Status.Allocation.Devices
		allocation.Config = slices.DeleteFunc(allocation.Config, func(c resourceapi.DeviceAllocationConfiguration) bool {
			return len(c.Requests) > 0 && !slices.ContainsFunc(allocation.Results, func(r resourceapi.DeviceRequestAllocationResult) bool {
				return slices.Contains(c.Requests, r.Request)
			})
		})
	})
}

func configRequestsRequired(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return broken{DRAPlugin: driver, prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
		for _, config := range claim.Status.Allocation.Devices.Config {
			if config.Opaque != nil && config.Opaque.Driver == place.Driver && len(config.Requests) == 0 {
				return result{Err: errors.New("a configuration must name its requests")}
			}
		}
		return good{driver}.prepare(ctx, claim)
	}}
}
