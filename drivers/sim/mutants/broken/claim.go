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

package broken

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/dra-conformance/dratest/drivers/sim/inject"
)

func otherDriversResults(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return changed(driver, func(claim *resourceapi.ResourceClaim) {
		for i := range claim.Status.Allocation.Devices.Results {
			claim.Status.Allocation.Devices.Results[i].Driver = place.Driver
		}
	})
}

// subrequestConfig matches a configuration's requests literally: "foo" does not match "foo/bar".
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

// invalidConfigDropped ignores a configuration it cannot parse.
func invalidConfigDropped(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return changed(driver, func(claim *resourceapi.ResourceClaim) {
		allocation := &claim.Status.Allocation.Devices
		allocation.Config = slices.DeleteFunc(allocation.Config, func(c resourceapi.DeviceAllocationConfiguration) bool {
			if c.Opaque == nil || c.Opaque.Driver != place.Driver {
				return false
			}
			_, err := inject.Parameters(c.Opaque.Parameters.Raw)
			return err != nil
		})
	})
}

// unknownKindPanics assumes every configuration with a kind to be its own.
func unknownKindPanics(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return broken{DRAPlugin: driver, prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
		for _, c := range claim.Status.Allocation.Devices.Config {
			var decoded struct {
				Kind string `json:"kind"`
			}
			if c.Opaque == nil || c.Opaque.Driver != place.Driver || json.Unmarshal(c.Opaque.Parameters.Raw, &decoded) != nil {
				continue
			}
			if decoded.Kind != "" && decoded.Kind != "DeviceConfig" {
				panic(fmt.Sprintf("the configuration is a %s, not a DeviceConfig", decoded.Kind))
			}
		}
		return good{driver}.prepare(ctx, claim)
	}}
}

// otherDriversConfig reads each configuration, whoever it is for.
func otherDriversConfig(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return changed(driver, func(claim *resourceapi.ResourceClaim) {
		for i := range claim.Status.Allocation.Devices.Config {
			if opaque := claim.Status.Allocation.Devices.Config[i].Opaque; opaque != nil {
				opaque.Driver = place.Driver
			}
		}
	})
}

// configOfAllRequests ignores the requests of a configuration.
func configOfAllRequests(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return changed(driver, func(claim *resourceapi.ResourceClaim) {
		for i := range claim.Status.Allocation.Devices.Config {
			claim.Status.Allocation.Devices.Config[i].Requests = nil
		}
	})
}
