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
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	cdispec "tags.cncf.io/container-device-interface/specs-go"
)

// noDeviceNodes omits the content of CDI devices, for all claims.
func noDeviceNodes(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return after(driver, func(claim *resourceapi.ResourceClaim, _ *result) error {
		return place.rewrite(claim.UID, func(spec *cdispec.Spec) {
			for i := range spec.Devices {
				spec.Devices[i].ContainerEdits = cdispec.ContainerEdits{}
			}
		})
	})
}

// shareIDMissing names the CDI devices of shares after the device alone.
func shareIDMissing(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return namedAfterDevice(place, driver, func(d kubeletplugin.Device) bool { return d.ShareID != nil })
}

// namesReused names CDI devices after the device, although their content is the claim's.
func namesReused(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return namedAfterDevice(place, driver, func(d kubeletplugin.Device) bool { return d.ShareID == nil })
}

func namedAfterDevice(place Place, driver kubeletplugin.DRAPlugin, is func(kubeletplugin.Device) bool) kubeletplugin.DRAPlugin {
	return after(driver, func(claim *resourceapi.ResourceClaim, answer *result) error {
		renamed := map[string]string{}
		for i := range answer.Devices {
			device := &answer.Devices[i]
			if !is(*device) {
				continue
			}
			kind, name, _ := strings.Cut(device.CDIDeviceIDs[0], "=")
			renamed[name] = device.DeviceName
			device.CDIDeviceIDs, device.ShareID = []string{kind + "=" + device.DeviceName}, nil
		}
		return place.rewrite(claim.UID, func(spec *cdispec.Spec) {
			for i := range spec.Devices {
				if name, ok := renamed[spec.Devices[i].Name]; ok {
					spec.Devices[i].Name = name
				}
			}
		})
	})
}

// after modifies files and answer of a successful prepare.
func after(driver kubeletplugin.DRAPlugin, spoil func(claim *resourceapi.ResourceClaim, answer *result) error) kubeletplugin.DRAPlugin {
	return broken{DRAPlugin: driver, prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
		answer := good{driver}.prepare(ctx, claim)
		if answer.Err == nil && len(answer.Devices) > 0 {
			answer.Err = spoil(claim, &answer)
		}
		return answer
	}}
}
