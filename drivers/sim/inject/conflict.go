package inject

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	cdispec "tags.cncf.io/container-device-interface/specs-go"
)

// deviceID is a device of one driver.
type deviceID struct{ pool, device string }

// Conflict returns an error if a device of spec is in one of the prepared specs
// of other claims and neither side may share it.
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

// SpecUID is the claim that a spec was made for.
func SpecUID(spec *cdispec.Spec) types.UID { return types.UID(spec.Annotations[annotationUID]) }

func idOf(device cdispec.Device) deviceID {
	return deviceID{pool: device.Annotations[annotationPool], device: device.Annotations[annotationDevice]}
}
