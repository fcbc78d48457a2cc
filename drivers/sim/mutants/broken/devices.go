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
	"maps"
	"os"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/utils/ptr"
	cdispec "tags.cncf.io/container-device-interface/specs-go"

	"github.com/dra-conformance/dratest/drivers/sim/inject"
)

// withdrawnPrepared prepares allocations with removed devices.
func withdrawnPrepared(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return forced(place, driver, func(claim *resourceapi.ResourceClaim) bool { return !place.inUse(claim) })
}

// inUsePrepared does not check for a device's use by another claim.
func inUsePrepared(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return forced(place, driver, place.inUse)
}

// forced also prepares some claims the driver rejects for reasons other than parsing.
func forced(place Place, driver kubeletplugin.DRAPlugin, is func(*resourceapi.ResourceClaim) bool) kubeletplugin.DRAPlugin {
	return broken{DRAPlugin: driver, prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
		answer := good{driver}.prepare(ctx, claim)
		spec, _, err := inject.Claim(place.Driver, claim)
		if answer.Err == nil || err != nil || spec == nil || !is(claim) {
			return answer
		}
		if err := write(place.specFile(claim.UID), spec); err != nil {
			return result{Err: err}
		}
		return fromCheckpoint(place, claim)
	}}
}

// inUse reports whether a device of a claim is prepared for another one.
func (p Place) inUse(claim *resourceapi.ResourceClaim) bool {
	wanted, _, err := inject.Claim(p.Driver, claim)
	if err != nil || wanted == nil {
		return false
	}
	prepared, err := p.specs()
	return err == nil && inject.Conflict(wanted, slices.Collect(maps.Values(prepared))) != nil
}

// usersMiscounted counts the claims of a device, and decrements with each unprepare.
func usersMiscounted(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	has := map[types.UID][]device{}
	users := map[device]int{}
	return broken{
		DRAPlugin: driver,
		prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
			answer := good{driver}.prepare(ctx, claim)
			if answer.Err != nil || has[claim.UID] != nil {
				return answer
			}
			for _, d := range answer.Devices {
				has[claim.UID] = append(has[claim.UID], device{d.PoolName, d.DeviceName})
				users[device{d.PoolName, d.DeviceName}]++
			}
			return answer
		},
		unprepare: func(ctx context.Context, claim object) error {
			for _, d := range has[claim.UID] {
				if users[d] == 0 {
					return fmt.Errorf("device %s of pool %s has no users", d.name, d.pool)
				}
				users[d]--
			}
			return good{driver}.unprepare(ctx, claim)
		},
	}
}

// adminTearsDown undoes the preparation of the device's user with a claim with admin access.
func adminTearsDown(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	admins := map[types.UID]*cdispec.Spec{}
	return broken{
		DRAPlugin: driver,
		prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
			answer := good{driver}.prepare(ctx, claim)
			exclusive, admin := claim.DeepCopy(), false
			for i := range exclusive.Status.Allocation.Devices.Results {
				r := &exclusive.Status.Allocation.Devices.Results[i]
				admin = admin || ptr.Deref(r.AdminAccess, false)
				r.AdminAccess = nil
			}
			if spec, _, err := inject.Claim(place.Driver, exclusive); answer.Err == nil && err == nil && spec != nil && admin {
				admins[claim.UID] = spec
			}
			return answer
		},
		unprepare: func(ctx context.Context, claim object) error {
			if had := admins[claim.UID]; had != nil {
				delete(admins, claim.UID)
				prepared, err := place.specs()
				if err != nil {
					return err
				}
				for uid, spec := range prepared {
					if inject.Conflict(had, []*cdispec.Spec{spec}) != nil {
						err = errors.Join(err, os.Remove(place.specFile(uid)))
					}
				}
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
			return good{driver}.unprepare(ctx, claim)
		},
	}
}

// ownTakenForOthers takes claims prepared by an earlier process for another driver's.
func ownTakenForOthers(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	found, err := place.specs()
	if err != nil {
		found = nil
	}
	return broken{
		DRAPlugin: driver,
		prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
			if found[claim.UID] != nil {
				return result{Err: errors.New("the claim's devices are in use")}
			}
			return good{driver}.prepare(ctx, claim)
		},
		unprepare: func(ctx context.Context, claim object) error {
			delete(found, claim.UID)
			return good{driver}.unprepare(ctx, claim)
		},
	}
}

// poolIgnored takes devices of one name in different pools for one device.
func poolIgnored(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	users := map[string]device{}
	claims := map[types.UID][]string{}
	return broken{
		DRAPlugin: driver,
		prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
			var taken []string
			for _, r := range claim.Status.Allocation.Devices.Results {
				if r.Driver != place.Driver || r.ShareID != nil || r.AdminAccess != nil {
					continue
				}
				if user, ok := users[r.Device]; ok && user.pool != r.Pool {
					return result{Err: fmt.Errorf("device %s is in use", r.Device)}
				}
				taken = append(taken, r.Device)
			}
			answer := good{driver}.prepare(ctx, claim)
			if answer.Err == nil {
				for _, d := range answer.Devices {
					if slices.Contains(taken, d.DeviceName) {
						users[d.DeviceName] = device{d.PoolName, d.DeviceName}
					}
				}
				claims[claim.UID] = taken
			}
			return answer
		},
		unprepare: func(ctx context.Context, claim object) error {
			for _, name := range claims[claim.UID] {
				delete(users, name)
			}
			delete(claims, claim.UID)
			return good{driver}.unprepare(ctx, claim)
		},
	}
}

// capacityNotChecked prepares any number of shares.
func capacityNotChecked(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return forced(place, driver, func(claim *resourceapi.ResourceClaim) bool {
		return slices.ContainsFunc(claim.Status.Allocation.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool {
			return r.Driver == place.Driver && r.ShareID != nil
		})
	})
}
