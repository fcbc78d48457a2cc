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
	"io/fs"
	"os"
	"path/filepath"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

type result = kubeletplugin.PrepareResult

// memory is a driver recording its answers.
func memory(driver kubeletplugin.DRAPlugin, again func(ctx context.Context, claim *resourceapi.ResourceClaim, answered result) result) kubeletplugin.DRAPlugin {
	known := map[types.UID]result{}
	return broken{
		DRAPlugin: driver,
		prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
			if answered, ok := known[claim.UID]; ok {
				return again(ctx, claim, answered)
			}
			answer := good{driver}.prepare(ctx, claim)
			if answer.Err == nil {
				known[claim.UID] = answer
			}
			return answer
		},
		unprepare: func(ctx context.Context, claim object) error {
			delete(known, claim.UID)
			return good{driver}.unprepare(ctx, claim)
		},
	}
}

func restoredPrepare(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return memory(driver, func(_ context.Context, _ *resourceapi.ResourceClaim, answered result) result { return answered })
}

// configuredOnce fails to apply a configuration a second time.
func configuredOnce(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return broken{DRAPlugin: driver, prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
		prepared, err := place.specs()
		if _, again := prepared[claim.UID]; err == nil && again && len(claim.Status.Allocation.Devices.Config) > 0 {
			err = errors.New("the devices of the claim are configured already")
		}
		if err != nil {
			return result{Err: err}
		}
		return good{driver}.prepare(ctx, claim)
	}}
}

// repeatedPrepare starts over for a prepared claim, and only gets as far as undoing it.
func repeatedPrepare(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return memory(driver, func(ctx context.Context, claim *resourceapi.ResourceClaim, answered result) result {
		if err := (good{driver}).unprepare(ctx, objectOf(claim)); err != nil {
			return result{Err: err}
		}
		return answered
	})
}

// rebootTakenForRestart has a file per prepared claim as its checkpoint, and does not verify claims of an earlier
// process.
func rebootTakenForRestart(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	mine := map[types.UID]bool{}
	entry := func(uid types.UID) string { return filepath.Join(place.StateDir, "prepared-"+string(uid)) }
	return broken{
		DRAPlugin: driver,
		prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
			_, err := os.Stat(entry(claim.UID))
			if err == nil && !mine[claim.UID] {
				return fromCheckpoint(place, claim)
			}
			answer := good{driver}.prepare(ctx, claim)
			if answer.Err == nil {
				answer.Err = os.WriteFile(entry(claim.UID), nil, 0o600)
				mine[claim.UID] = true
			}
			return answer
		},
		unprepare: func(ctx context.Context, claim object) error {
			if err := os.Remove(entry(claim.UID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return good{driver}.unprepare(ctx, claim)
		},
	}
}

// stateBeforeCDI records a claim even if its spec could not be written.
func stateBeforeCDI(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	committed := map[types.UID]bool{}
	return broken{
		DRAPlugin: driver,
		prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
			if committed[claim.UID] {
				return fromCheckpoint(place, claim)
			}
			answer := good{driver}.prepare(ctx, claim)
			if answer.Err != nil && specMissing(place, claim.UID) && validConfig(place, claim) {
				committed[claim.UID] = true
			}
			return answer
		},
		unprepare: func(ctx context.Context, claim object) error {
			delete(committed, claim.UID)
			return good{driver}.unprepare(ctx, claim)
		},
	}
}
