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
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/dra-conformance/dratest/drivers/sim/inject"
	"github.com/dra-conformance/dratest/framework/spec"
)

// preparesAnew takes further devices in each prepare of a claim, and unprepare returns only the last ones.
func preparesAnew(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	turns := map[types.UID]int{}
	another := func(uid types.UID) types.UID { return types.UID(fmt.Sprintf("%s-%d", uid, turns[uid])) }
	return broken{
		DRAPlugin: driver,
		prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
			answer := good{driver}.prepare(ctx, claim)
			if answer.Err != nil {
				return answer
			}
			turns[claim.UID]++
			if turns[claim.UID] == 1 {
				return answer
			}
			anew := claim.DeepCopy()
			anew.UID = another(claim.UID)
			spec, _, err := inject.Claim(place.Driver, anew)
			if err != nil || spec == nil {
				return result{Err: err}
			}
			if err := write(place.specFile(anew.UID), spec); err != nil {
				return result{Err: err}
			}
			return fromCheckpoint(place, anew)
		},
		unprepare: func(ctx context.Context, claim object) error {
			if turns[claim.UID] > 1 {
				if err := os.Remove(place.specFile(another(claim.UID))); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
			delete(turns, claim.UID)
			return good{driver}.unprepare(ctx, claim)
		},
	}
}

// lastDeviceFails publishes a device that it cannot prepare.
func lastDeviceFails() Driver {
	return lastFails("device %s does not support the default setting", func() bool { return true })
}

// goneDevicePublished loses a device after the first claim, but still publishes it.
func goneDevicePublished() Driver {
	claims := 0
	return lastFails("device %s does not exist", func() bool { claims++; return claims > 1 })
}

// lastFails fails to prepare the last device of each pool, in some calls.
func lastFails(message string, fails func() bool) Driver {
	var last []device
	return Driver{
		inventory: func(p *spec.Profile) {
			for _, pool := range p.Pools {
				if n := len(pool.Devices); n > 1 {
					last = append(last, device{name: pool.Devices[n-1].Name})
				}
			}
		},
		around: func(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
			return broken{DRAPlugin: driver, prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
				now := fails()
				for _, r := range claim.Status.Allocation.Devices.Results {
					if now && r.Driver == place.Driver && slices.ContainsFunc(last, func(d device) bool { return d.name == r.Device }) {
						return result{Err: fmt.Errorf(message, r.Device)}
					}
				}
				return good{driver}.prepare(ctx, claim)
			}}
		},
	}
}

// usedOnce does not restore a device on its node in unprepare.
func usedOnce(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	users := map[device]types.UID{}
	return broken{DRAPlugin: driver, prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
		for _, r := range claim.Status.Allocation.Devices.Results {
			id := device{r.Pool, r.Device}
			if user, used := users[id]; r.Driver == place.Driver && used && user != claim.UID {
				return result{Err: fmt.Errorf("device %s is not on the node", r.Device)}
			}
		}
		answer := good{driver}.prepare(ctx, claim)
		for _, d := range answer.Devices {
			users[device{d.PoolName, d.DeviceName}] = claim.UID
		}
		return answer
	}}
}

// noDevices publishes empty slices.
func noDevices(p *spec.Profile) {
	for i := range p.Pools {
		p.Pools[i].Devices = nil
	}
}
