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

package pools

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// Allocated returns a claim's devices of a driver for these requests, all requests if none are named.
func Allocated(claim *resourceapi.ResourceClaim, driver string, requests ...string) []resourceapi.DeviceRequestAllocationResult {
	if claim.Status.Allocation == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(claim.Status.Allocation.Devices.Results), func(r resourceapi.DeviceRequestAllocationResult) bool {
		request, _, _ := strings.Cut(r.Request, "/")
		return r.Driver != driver || len(requests) > 0 && !slices.Contains(requests, request)
	})
}
