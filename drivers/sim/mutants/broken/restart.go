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
	"os"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

// forgetsOnRestart unprepares only claims prepared by this process.
func forgetsOnRestart(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return knows(map[types.UID]bool{}, driver)
}

// readsOnce knows only claims prepared before its start, and by itself.
func readsOnce(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	prepared := map[types.UID]bool{}
	if there, err := place.specs(); err == nil {
		for uid := range there {
			prepared[uid] = true
		}
	}
	return knows(prepared, driver)
}

// knows unprepares only claims known to be prepared.
func knows(prepared map[types.UID]bool, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return broken{
		DRAPlugin: driver,
		prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
			answer := good{driver}.prepare(ctx, claim)
			prepared[claim.UID] = prepared[claim.UID] || answer.Err == nil
			return answer
		},
		unprepare: func(ctx context.Context, claim object) error {
			if !prepared[claim.UID] {
				return nil
			}
			delete(prepared, claim.UID)
			return good{driver}.unprepare(ctx, claim)
		},
	}
}

// startUpPruning knows no claim yet when it starts.
func startUpPruning(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	if left, err := place.specs(); err == nil {
		for uid := range left {
			_ = os.Remove(place.specFile(uid))
		}
	}
	return driver
}
