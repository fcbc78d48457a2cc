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

package inject

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	cdispec "tags.cncf.io/container-device-interface/specs-go"
)

type deviceID struct{ pool, device string }

// Conflict returns an error if a device of spec is in a prepared spec of another claim and either side may not share
// it.
func Conflict(spec *cdispec.Spec, prepared []*cdispec.Spec) error {
	wanted := map[deviceID]bool{}
	for _, device := range spec.Devices {
		if device.Annotations[annotationShared] == "" {
			wanted[idOf(device)] = true
		}
	}
	for _, other := range prepared {
		if SpecUID(other) == SpecUID(spec) {
			continue
		}
		for _, device := range other.Devices {
			if device.Annotations[annotationShared] == "" && wanted[idOf(device)] {
				return fmt.Errorf("device %s of pool %s is still prepared for claim %s/%s",
					device.Annotations[annotationDevice], device.Annotations[annotationPool],
					other.Annotations[annotationNamespace], other.Annotations[annotationClaim])
			}
		}
	}
	return nil
}

// SpecUID is the claim of a spec.
func SpecUID(spec *cdispec.Spec) types.UID { return types.UID(spec.Annotations[annotationUID]) }

func idOf(device cdispec.Device) deviceID {
	return deviceID{pool: device.Annotations[annotationPool], device: device.Annotations[annotationDevice]}
}
