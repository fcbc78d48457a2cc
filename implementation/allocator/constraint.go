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

package allocator

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// constraint is one kind of constraint of a claim. The search has no other knowledge of kinds: a new
// kind is one file and a line in newConstraint.
//
// A constraint depends on one value per device; devices with equal values are interchangeable. A
// rejected device stays rejected when more devices are chosen.
type constraint interface {
	// value returns the value under constraint.
	value(device *inventory.Device) value
	// accepts reports whether a device with value v may join the chosen ones.
	accepts(chosen held, v value) bool
	// separates reports whether devices with different values are mutually exclusive.
	separates() bool
	// bound is an upper bound on how many of the devices can be chosen together. For a kind with
	// separates, the devices have equal values. It must never be too small and must not shrink with more
	// devices. values and numbers are by device; numbers are equal exactly where values are.
	bound(devices []int, values []value, numbers []int) int
	// key is the part of chosen relevant to later accepts calls, independent of order.
	key(chosen held) held
}

// newConstraint returns false for an unknown kind.
func newConstraint(in *resourceapi.DeviceConstraint) (constraint, bool) {
	switch {
	case in.MatchAttribute != nil:
		return matching{attribute(*in.MatchAttribute)}, true
	case in.DistinctAttribute != nil:
		return distinct{attribute(*in.DistinctAttribute)}, true
	}
	return nil, false
}

// held are the values of the chosen devices, in order of choice.
type held []value

// attribute is the name of the constrained attribute.
type attribute resourceapi.FullyQualifiedName

// value is a device's value of an attribute, comparable.
type value struct {
	kind kind
	text string
	num  int64
}

type kind uint8

const (
	// missing: the device lacks the attribute and every constraint rejects it.
	missing kind = iota
	// unknown: a type from a newer API; only the first device of a set may have it.
	unknown
	text
	number
	boolean
	version
)

// value returns the attribute's value. A driver may publish attributes of its own domain without the
// domain.
func (name attribute) value(device *inventory.Device) value {
	found, ok := device.Spec.Attributes[resourceapi.QualifiedName(name)]
	if !ok {
		if found, ok = device.Spec.Attributes[inventory.LocalName(device.ID.Driver, resourceapi.QualifiedName(name))]; !ok {
			return value{}
		}
	}
	switch {
	case found.StringValue != nil:
		return value{kind: text, text: *found.StringValue}
	case found.IntValue != nil:
		return value{kind: number, num: *found.IntValue}
	case found.BoolValue != nil:
		if *found.BoolValue {
			return value{kind: boolean, num: 1}
		}
		return value{kind: boolean}
	case found.VersionValue != nil:
		// Semantic versions have a minimal form but for build metadata, which has no precedence
		// (semver.org 2.0.0, section 10).
		minimal, _, _ := strings.Cut(*found.VersionValue, "+")
		return value{kind: version, text: minimal}
	}
	return value{kind: unknown}
}
