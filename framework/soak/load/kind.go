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
	"cmp"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Kind defines the requests of a unit's pods.
type Kind struct {
	Name string
	// Use is the requested class: the suffix of its name, and of a pool's.
	Use string
	// Feature is the required feature beyond DRA's core.
	Feature spec.Feature
	// Variants is the number of sizes; 0 is one.
	Variants int
	// Shared: one claim for two pods. Pair: each pod has two claims from the template.
	Shared, Pair bool
	// Class and Claim configure classes and claims allocated by a driver. No device of a slice matches such a class.
	Class *resourceapi.DeviceClassConfiguration
	Claim *resourceapi.DeviceClaimConfiguration
}

// The names of kinds.
const (
	// OneDevice: a claim from a template, one device.
	OneDevice = "one-device"
	// TwoDevices: a claim from a template, two devices in one request.
	TwoDevices = "two-devices"
	// TwoClaims: two claims from templates, one device each.
	TwoClaims = "two-claims"
	// TwoPods: one claim shared by two pods.
	TwoPods = "two-pods"
	// FirstAvailable: one device of a scarce model, or two of the other.
	FirstAvailable = "first-available"
	// Partition: a part of a device, or all of it, by shared counters.
	Partition = "partition"
	// Capacity: a share of a device's memory.
	Capacity = "capacity"
	// Extended: one or two devices as an extended resource, without a claim.
	Extended = "extended-resource"
	// NoClaim: no claim, to compare with.
	NoClaim = "no-claim"
)

// Uses of devices: each has a pool and a class.
const (
	plain    = "plain"
	parts    = "parts"
	shares   = "shares"
	extended = "extended"
)

// Kinds lists all kinds with devices in slices.
func Kinds() []Kind {
	return append(Slots(),
		Kind{Name: FirstAvailable, Use: plain, Feature: spec.PrioritizedList},
		Kind{Name: Partition, Use: parts, Feature: spec.PartitionableDevices, Variants: 3},
		Kind{Name: Capacity, Use: shares, Feature: spec.ConsumableCapacity, Variants: 3},
		Kind{Name: Extended, Use: extended, Feature: spec.ExtendedResource, Variants: 2})
}

// Slots are the kinds satisfiable from one pool of identical fabric slots (KEP-5007).
func Slots() []Kind {
	return []Kind{
		{Name: OneDevice, Use: plain},
		{Name: TwoDevices, Use: plain},
		{Name: TwoClaims, Use: plain, Pair: true},
		{Name: TwoPods, Use: plain, Shared: true},
	}
}

// OfDriver are the kinds for devices of an installed driver, with a number of devices on each node and, if shared, claims
// for several pods.
func OfDriver(devices int, shared bool) []Kind {
	kinds := []Kind{{Name: NoClaim}, {Name: OneDevice, Use: plain}}
	if devices > 1 {
		kinds = append(kinds, Kind{Name: TwoDevices, Use: plain}, Kind{Name: TwoClaims, Use: plain, Pair: true})
	}
	if shared {
		kinds = append(kinds, Kind{Name: TwoPods, Use: plain, Shared: true})
	}
	return kinds
}

// SlotAttributes are the required attributes of that pool's devices.
func SlotAttributes() map[string]string { return map[string]string{use: plain} }

// Served are the kinds with features served by the target; lacks reports missing ones.
func Served(lacks func(spec.Feature) bool) []Kind {
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return k.Feature != "" && lacks(k.Feature) })
}

// classes returns one kind of each class, in order.
func classes(kinds []Kind) []Kind {
	byUse := func(a, b Kind) int { return cmp.Compare(a.Use, b.Use) }
	return slices.CompactFunc(slices.SortedStableFunc(slices.Values(kinds), byUse), func(a, b Kind) bool { return a.Use == b.Use })
}
