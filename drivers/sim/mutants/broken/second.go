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
	"fmt"
	"path/filepath"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/klog/v2"
)

// secondInDirectory serves another driver of the same vendor, with its socket in the directory of the first one.
func secondInDirectory(ctx context.Context, place Place) (end func(), err error) {
	helper, err := kubeletplugin.Start(context.WithoutCancel(ctx), second{},
		kubeletplugin.DriverName("second."+place.Driver),
		kubeletplugin.KubeClient(place.Client),
		kubeletplugin.RegistrarDirectoryPath(filepath.Join(place.KubeletRoot, "plugins_registry")),
		kubeletplugin.PluginDataDirectoryPath(place.StateDir),
		kubeletplugin.PluginSocket("second.sock"),
		kubeletplugin.HealthService(false),
	)
	if err != nil {
		return nil, fmt.Errorf("open sockets of the second driver: %w", err)
	}
	return helper.Stop, nil
}

type second struct{}

var _ kubeletplugin.DRAPlugin = second{}

// PrepareResourceClaims implements kubeletplugin.DRAPlugin.
func (second) PrepareResourceClaims(_ context.Context, claims []*resourceapi.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	results := map[types.UID]kubeletplugin.PrepareResult{}
	for _, claim := range claims {
		results[claim.UID] = kubeletplugin.PrepareResult{}
	}
	return results, nil
}

// UnprepareResourceClaims implements kubeletplugin.DRAPlugin.
func (second) UnprepareResourceClaims(_ context.Context, claims []object) (map[types.UID]error, error) {
	results := map[types.UID]error{}
	for _, claim := range claims {
		results[claim.UID] = nil
	}
	return results, nil
}

// HandleError implements kubeletplugin.DRAPlugin.
func (second) HandleError(ctx context.Context, err error, msg string) {
	klog.FromContext(ctx).Error(err, "The second driver has a problem", "while", msg)
}

// WatchHealthStatus implements kubeletplugin.DRAPlugin.
func (second) WatchHealthStatus(context.Context, chan<- kubeletplugin.DeviceHealthReport) error {
	return kubeletplugin.ErrHealthNotSupported
}
