package objects

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// DeviceStatus is what the status of a claim tells of a device that it was allocated, in place; nil
// if it tells nothing.
func DeviceStatus(claim *resourceapi.ResourceClaim, r resourceapi.DeviceRequestAllocationResult) *resourceapi.AllocatedDeviceStatus {
	for i, d := range claim.Status.Devices {
		if d.Driver == r.Driver && d.Pool == r.Pool && d.Device == r.Device && types.UID(ptr.Deref(d.ShareID, "")) == ptr.Deref(r.ShareID, "") {
			return &claim.Status.Devices[i]
		}
	}
	return nil
}
