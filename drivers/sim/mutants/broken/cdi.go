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
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	cdispec "tags.cncf.io/container-device-interface/specs-go"
)

// staleCDICache writes each device once for all claims into a file of its own, and assumes it exists for ever.
func staleCDICache(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	written := map[string]bool{}
	return after(driver, func(_ *resourceapi.ResourceClaim, answer *result) error {
		for i := range answer.Devices {
			device := &answer.Devices[i]
			kind, _, _ := strings.Cut(device.CDIDeviceIDs[0], "=")
			if name := "base-" + device.DeviceName; !written[name] {
				base := &cdispec.Spec{Version: "0.5.0", Kind: kind, Devices: []cdispec.Device{{
					Name: name, ContainerEdits: cdispec.ContainerEdits{Env: []string{"base_" + strings.ReplaceAll(device.DeviceName, "-", "_") + "=1"}},
				}}}
				if err := write(filepath.Join(place.CDIDir, place.Driver+"-"+name+".json"), base); err != nil {
					return err
				}
				written[name] = true
			}
			device.CDIDeviceIDs = append(device.CDIDeviceIDs, kind+"=base-"+device.DeviceName)
		}
		return nil
	})
}

// specsStay writes a file for all claims with the first prepared one, and never removes it.
func specsStay(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	base := &cdispec.Spec{Version: "0.5.0", Kind: place.Driver + "/base", Devices: []cdispec.Device{{
		Name: "all", ContainerEdits: cdispec.ContainerEdits{Env: []string{"base=1"}},
	}}}
	return after(driver, func(*resourceapi.ResourceClaim, *result) error {
		return write(filepath.Join(place.CDIDir, place.Driver+"-base.json"), base)
	})
}

// lostWithContainer keeps a claim's files until the next claim comes: by then its container has been started.
func lostWithContainer(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	last := types.UID("")
	return broken{DRAPlugin: driver, prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
		if last != "" && last != claim.UID {
			if err := os.Remove(place.specFile(last)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return result{Err: err}
			}
		}
		answer := good{driver}.prepare(ctx, claim)
		if answer.Err == nil && len(answer.Devices) > 0 {
			last = claim.UID
		}
		return answer
	}}
}
