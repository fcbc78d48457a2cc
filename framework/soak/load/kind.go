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

package load

import (
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Kind is what the pods of a unit ask for.
type Kind string

// The kinds of units.
const (
	// OneDevice: a claim from a template, one device.
	OneDevice Kind = "one-device"
	// TwoDevices: a claim from a template, two devices in one request.
	TwoDevices Kind = "two-devices"
	// TwoClaims: two claims from templates, one device each.
	TwoClaims Kind = "two-claims"
	// TwoPods: one claim that two pods share.
	TwoPods Kind = "two-pods"
	// FirstAvailable: one device of a scarce model, or two of the other.
	FirstAvailable Kind = "first-available"
	// Partition: a part of a device, or all of it, by shared counters.
	Partition Kind = "partition"
	// Capacity: a share of a device's memory.
	Capacity Kind = "capacity"
	// Extended: one or two devices as an extended resource, without a claim.
	Extended Kind = "extended-resource"
)

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{OneDevice, TwoDevices, TwoClaims, TwoPods, FirstAvailable, Partition, Capacity, Extended}
}

// Served are the kinds whose features the target serves; lacks says which do not.
func Served(lacks func(spec.Feature) bool) []Kind {
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return k.feature() != "" && lacks(k.feature()) })
}

// feature is what a kind needs beyond DRA's core.
func (k Kind) feature() spec.Feature {
	switch k {
	case FirstAvailable:
		return spec.PrioritizedList
	case Partition:
		return spec.PartitionableDevices
	case Capacity:
		return spec.ConsumableCapacity
	case Extended:
		return spec.ExtendedResource
	default:
		return ""
	}
}

// variants is the number of sizes in which a kind comes.
func (k Kind) variants() int {
	switch k {
	case Partition, Capacity:
		return 3
	case Extended:
		return 2
	default:
		return 1
	}
}
