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

package state

import (
	"iter"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/utils/ptr"
)

// claim is an immutable record of a ResourceClaim.
type claim struct {
	uid types.UID
	// name is "namespace/name", for messages.
	name string
	// seen: the API server has reported the claim; version is the newest one.
	seen    bool
	version string
	// allocation is in the API, inFlight is assumed. At most one of them is set.
	allocation, inFlight *resourceapi.AllocationResult
}

func newClaim(c *resourceapi.ResourceClaim) claim {
	return claim{uid: c.UID, name: c.Namespace + "/" + c.Name}
}

// effective is the allocation whose devices are in use.
func (c *claim) effective() *resourceapi.AllocationResult {
	if c == nil {
		return nil
	}
	if c.allocation != nil {
		return c.allocation
	}
	return c.inFlight
}

// knowsNewer reports whether a resource version is outdated. Incomparable versions count as new.
func (c *claim) knowsNewer(version string) bool {
	if c == nil {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(version, c.version)
	return err == nil && order < 0
}

// holdings yields the claim's exclusive use of devices.
func (c *claim) holdings() iter.Seq[holding] {
	return func(yield func(holding) bool) {
		allocation := c.effective()
		if allocation == nil {
			return
		}
		for i := range allocation.Devices.Results {
			result := &allocation.Devices.Results[i]
			// Admin access takes nothing from others.
			if !ptr.Deref(result.AdminAccess, false) && !yield(holding{claim: c, result: result}) {
				return
			}
		}
	}
}
