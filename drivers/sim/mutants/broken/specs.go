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
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"tags.cncf.io/container-device-interface/pkg/cdi"
	cdispec "tags.cncf.io/container-device-interface/specs-go"

	"github.com/dra-conformance/dratest/drivers/sim/inject"
)

func (p Place) specFile(uid types.UID) string {
	return filepath.Join(p.CDIDir, inject.FileName(p.Driver, uid))
}

func specMissing(place Place, uid types.UID) bool {
	info, err := os.Stat(place.specFile(uid))
	return err != nil || !info.Mode().IsRegular()
}

// validConfig reports whether the driver could prepare a claim apart from other errors.
func validConfig(place Place, claim *resourceapi.ResourceClaim) bool {
	_, _, err := inject.Claim(place.Driver, claim)
	return err == nil
}

// fromCheckpoint returns the driver's answer without preparing anything.
func fromCheckpoint(place Place, claim *resourceapi.ResourceClaim) result {
	_, devices, err := inject.Claim(place.Driver, claim)
	answer := result{Err: err}
	for _, device := range devices {
		answer.Devices = append(answer.Devices, kubeletplugin.Device{
			Requests: []string{device.Request}, PoolName: device.Pool, DeviceName: device.Device,
			CDIDeviceIDs: []string{device.CDI}, ShareID: device.ShareID,
		})
	}
	return answer
}

// specs are those of the driver's prepared claims, valid or not: another mutant may have written them.
func (p Place) specs() (map[types.UID]*cdispec.Spec, error) {
	entries, err := os.ReadDir(p.CDIDir)
	if err != nil {
		return nil, err
	}
	found := map[types.UID]*cdispec.Spec{}
	for _, entry := range entries {
		uid, ours := inject.UID(p.Driver, entry.Name())
		if !ours {
			continue
		}
		data, err := os.ReadFile(filepath.Join(p.CDIDir, entry.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // another call has removed it meanwhile
		}
		if err != nil {
			return nil, err
		}
		if found[uid], err = cdi.ParseSpec(data); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// rewrite changes the spec of a prepared claim, since the CDI package rejects invalid ones.
func (p Place) rewrite(uid types.UID, change func(*cdispec.Spec)) error {
	data, err := os.ReadFile(p.specFile(uid))
	if err != nil {
		return err
	}
	spec, err := cdi.ParseSpec(data)
	if err != nil {
		return err
	}
	change(spec)
	return write(p.specFile(uid), spec)
}

func write(path string, spec *cdispec.Spec) error {
	content, err := json.Marshal(spec)
	if err != nil {
		return fmt.Errorf("encode CDI spec: %w", err)
	}
	return os.WriteFile(path, content, 0o600)
}
