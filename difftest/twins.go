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

package difftest

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// twinOf is the suffix of the pools and slices of a request with admin access. It keeps their order.
func twinOf(claim int, request string) string { return fmt.Sprintf("\x01%d/%s", claim, request) }

// inTwins returns an answer with twins in place of devices with admin access.
func inTwins(a Answer) Answer {
	var allocations []resourceapi.AllocationResult
	for i := range a.Allocations {
		allocation := *a.Allocations[i].DeepCopy()
		for r := range allocation.Devices.Results {
			if result := &allocation.Devices.Results[r]; ptr.Deref(result.AdminAccess, false) {
				result.Pool += twinOf(i, result.Request)
			}
		}
		allocations = append(allocations, allocation)
	}
	a.Allocations = allocations
	return a
}
