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
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

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

// lastConfigOnly has one configuration per claim: a later one replaces those before.
func lastConfigOnly(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return changed(driver, func(claim *resourceapi.ResourceClaim) {
		configs := &claim.Status.Allocation.Devices.Config
		seen := false
		for i := len(*configs) - 1; i >= 0; i-- {
			if opaque := (*configs)[i].Opaque; opaque == nil || opaque.Driver != place.Driver {
				continue
			}
			if seen {
				*configs = slices.Delete(*configs, i, i+1)
			}
			seen = true
		}
	})
}

// configsByPosition takes the n-th configuration for the n-th request.
func configsByPosition(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return changed(driver, func(claim *resourceapi.ResourceClaim) {
		var requests []string
		for _, r := range claim.Status.Allocation.Devices.Results {
			if !slices.Contains(requests, r.Request) {
				requests = append(requests, r.Request)
			}
		}
		configs := claim.Status.Allocation.Devices.Config
		for i := range configs {
			if len(requests) > 0 && len(configs[i].Requests) > 0 && configs[i].Opaque != nil && configs[i].Opaque.Driver == place.Driver {
				configs[i].Requests, requests = requests[:1], requests[1:]
			}
		}
	})
}

// alternativesByName looks up an alternative without its request: those of other requests may have the same name.
func alternativesByName(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return changed(driver, func(claim *resourceapi.ResourceClaim) {
		for i := range claim.Status.Allocation.Devices.Config {
			config := &claim.Status.Allocation.Devices.Config[i]
			for _, r := range claim.Status.Allocation.Devices.Results {
				if slices.ContainsFunc(config.Requests, func(request string) bool {
					return alternative(request) != "" && alternative(request) == alternative(r.Request)
				}) {
					config.Requests = append(config.Requests, r.Request)
				}
			}
		}
	})
}

func alternative(request string) string {
	_, name, _ := strings.Cut(request, "/")
	return name
}

// configOfAnyAlternative applies the configuration of one alternative to whichever was chosen.
func configOfAnyAlternative(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return changed(driver, func(claim *resourceapi.ResourceClaim) {
		for i := range claim.Status.Allocation.Devices.Config {
			for j, request := range claim.Status.Allocation.Devices.Config[i].Requests {
				claim.Status.Allocation.Devices.Config[i].Requests[j] = resourceclaim.BaseRequestRef(request)
			}
		}
	})
}

// firstOfCount prepares one device per request.
func firstOfCount(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return changed(driver, func(claim *resourceapi.ResourceClaim) {
		seen := map[string]bool{}
		results := &claim.Status.Allocation.Devices.Results
		*results = slices.DeleteFunc(*results, func(r resourceapi.DeviceRequestAllocationResult) bool {
			if r.Driver != place.Driver {
				return false
			}
			again := seen[r.Request]
			seen[r.Request] = true
			return again
		})
	})
}
