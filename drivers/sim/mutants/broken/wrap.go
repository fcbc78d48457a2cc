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

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

// object identifies a claim to unprepare.
type object = kubeletplugin.NamespacedObject

// broken is a driver with functions for one claim each; nil ones call the driver. The helper never runs two calls at
// a time.
type broken struct {
	kubeletplugin.DRAPlugin

	prepare   func(ctx context.Context, claim *resourceapi.ResourceClaim) kubeletplugin.PrepareResult
	unprepare func(ctx context.Context, claim object) error
}

// PrepareResourceClaims implements kubeletplugin.DRAPlugin.
func (b broken) PrepareResourceClaims(ctx context.Context, claims []*resourceapi.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	if b.prepare == nil {
		return b.DRAPlugin.PrepareResourceClaims(ctx, claims)
	}
	results := map[types.UID]kubeletplugin.PrepareResult{}
	for _, claim := range claims {
		results[claim.UID] = b.prepare(ctx, claim)
	}
	return results, nil
}

// UnprepareResourceClaims implements kubeletplugin.DRAPlugin.
func (b broken) UnprepareResourceClaims(ctx context.Context, claims []object) (map[types.UID]error, error) {
	if b.unprepare == nil {
		return b.DRAPlugin.UnprepareResourceClaims(ctx, claims)
	}
	results := map[types.UID]error{}
	for _, claim := range claims {
		results[claim.UID] = b.unprepare(ctx, claim)
	}
	return results, nil
}

// good calls a correct driver for one claim.
type good struct{ kubeletplugin.DRAPlugin }

func (g good) prepare(ctx context.Context, claim *resourceapi.ResourceClaim) kubeletplugin.PrepareResult {
	results, err := g.PrepareResourceClaims(ctx, []*resourceapi.ResourceClaim{claim})
	if err != nil {
		return kubeletplugin.PrepareResult{Err: err}
	}
	return results[claim.UID]
}

func (g good) unprepare(ctx context.Context, claim object) error {
	results, err := g.UnprepareResourceClaims(ctx, []object{claim})
	if err != nil {
		return err
	}
	return results[claim.UID]
}

// changed prepares a claim as change leaves it.
func changed(driver kubeletplugin.DRAPlugin, change func(*resourceapi.ResourceClaim)) kubeletplugin.DRAPlugin {
	return broken{DRAPlugin: driver, prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) kubeletplugin.PrepareResult {
		claim = claim.DeepCopy()
		change(claim)
		return good{driver}.prepare(ctx, claim)
	}}
}

func objectOf(claim *resourceapi.ResourceClaim) object {
	return object{NamespacedName: types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}, UID: claim.UID}
}
