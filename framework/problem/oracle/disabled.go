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

package oracle

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// disabled names a disabled feature used by claims or devices, "" for none. The API does not define
// the effect of its fields.
func (w *world) disabled(claims []*resourceapi.ResourceClaim) string {
	for _, name := range w.p.Off {
		if uses := users[name]; uses.device != nil && slices.ContainsFunc(w.all, func(d *device) bool { return uses.device(d) }) ||
			uses.request != nil && slices.ContainsFunc(claims, func(c *resourceapi.ResourceClaim) bool {
				return slices.ContainsFunc(c.Spec.Devices.Requests, uses.request) || name == "ConsumableCapacity" && wantsDistinct(c)
			}) {
			return "feature " + name + " is off, but its fields are set"
		}
	}
	return ""
}

func wantsDistinct(c *resourceapi.ResourceClaim) bool {
	return slices.ContainsFunc(c.Spec.Devices.Constraints, func(c resourceapi.DeviceConstraint) bool { return c.DistinctAttribute != nil })
}

// user reports whether a device or request uses a feature.
type user struct {
	device  func(*device) bool
	request func(resourceapi.DeviceRequest) bool
}

// users has the check for each name in problem.Gates.
var users = map[string]user{ //nolint:gochecknoglobals // a table
	"AdminAccess": {request: func(r resourceapi.DeviceRequest) bool {
		return r.Exactly != nil && r.Exactly.AdminAccess != nil
	}},
	"ConsumableCapacity": {
		device: func(d *device) bool {
			return d.AllowMultipleAllocations != nil || hasPolicy(d, func(*resourceapi.CapacityRequestPolicy) bool { return true })
		},
		request: func(r resourceapi.DeviceRequest) bool {
			return r.Exactly != nil && r.Exactly.Capacity != nil ||
				slices.ContainsFunc(r.FirstAvailable, func(s resourceapi.DeviceSubRequest) bool { return s.Capacity != nil })
		},
	},
	"DeviceBindingAndStatus": {device: func(d *device) bool { return d.BindsToNode != nil || d.BindingConditions != nil }},
	"DeviceTaints":           {device: func(d *device) bool { return len(d.Taints) > 0 }},
	"FractionalCapacityRange": {device: func(d *device) bool {
		return hasPolicy(d, func(p *resourceapi.CapacityRequestPolicy) bool {
			return p.ValidRange != nil && fractional(p.ValidRange)
		})
	}},
	"PartitionableDevices": {device: func(d *device) bool { return len(d.ConsumesCounters) > 0 || d.from.PerDeviceNodeSelection != nil }},
	"PrioritizedList":      {request: func(r resourceapi.DeviceRequest) bool { return len(r.FirstAvailable) > 0 }},
}

func hasPolicy(d *device, is func(*resourceapi.CapacityRequestPolicy) bool) bool {
	for _, c := range d.Capacity {
		if c.RequestPolicy != nil && is(c.RequestPolicy) {
			return true
		}
	}
	return false
}
