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
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

const (
	// slow is how long a prepare may outlive the kubelet's timeout.
	slow = 150 * time.Millisecond
	// tooSlow exceeds the time limit for a trivial claim.
	tooSlow = 1500 * time.Millisecond
)

// takeTime returns an error if nobody waits any more.
func takeTime(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// slowPrepare queries its devices' state each time.
func slowPrepare(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return broken{DRAPlugin: driver, prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
		answer := good{driver}.prepare(ctx, claim)
		if answer.Err == nil && len(answer.Devices) > 0 {
			answer.Err = takeTime(ctx, tooSlow)
		}
		return answer
	}}
}

// updatesLost runs calls concurrently. Each writes the prepared claims as of its start, plus its own.
func updatesLost(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return broken{DRAPlugin: driver, prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
		before, err := place.specs()
		if err != nil {
			return result{Err: err}
		}
		answer := good{driver}.prepare(ctx, claim)
		if answer.Err != nil || len(answer.Devices) == 0 {
			return answer
		}
		if err := takeTime(ctx, slow); err != nil {
			return result{Err: err}
		}
		now, err := place.specs()
		if err != nil {
			return result{Err: err}
		}
		for uid := range now {
			if uid == claim.UID || before[uid] != nil {
				continue
			}
			if err := os.Remove(place.specFile(uid)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return result{Err: err}
			}
		}
		return answer
	}}
}

// forgottenFirst forgets a claim before removing the claim's CDI spec.
func forgottenFirst(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	forgotten := map[types.UID]bool{}
	return broken{
		DRAPlugin: driver,
		prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
			delete(forgotten, claim.UID)
			return good{driver}.prepare(ctx, claim)
		},
		unprepare: func(ctx context.Context, claim object) error {
			if forgotten[claim.UID] {
				return nil
			}
			if !specMissing(place, claim.UID) {
				forgotten[claim.UID] = true
				if err := takeTime(ctx, slow); err != nil {
					return err
				}
			}
			return good{driver}.unprepare(ctx, claim)
		},
	}
}
