package pools

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// Allocated are the devices of a driver that a claim has for these requests, all of them
// if none are named.
func Allocated(claim *resourceapi.ResourceClaim, driver string, requests ...string) []resourceapi.DeviceRequestAllocationResult {
	if claim.Status.Allocation == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(claim.Status.Allocation.Devices.Results), func(r resourceapi.DeviceRequestAllocationResult) bool {
		request, _, _ := strings.Cut(r.Request, "/")
		return r.Driver != driver || len(requests) > 0 && !slices.Contains(requests, request)
	})
}
