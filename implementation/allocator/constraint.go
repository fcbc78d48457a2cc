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

// constraint is one kind of constraint of a claim. All that the search knows of a kind
// is here, so that a new one is a file of its own and a line in newConstraint.
//
// A constraint looks at one value of a device: devices with the same value are the
// same to it. Once it does not accept a device it does not do so later either, when
// more devices were chosen.
type constraint interface {
	// value is what the constraint looks at.
	value(device *inventory.Device) value
	// accepts says whether a device with value v may join the chosen ones.
	accepts(chosen held, v value) bool
	// separates says that devices with different values are never chosen together.
	separates() bool
	// bound is how many of the devices can be chosen together at most; for a kind that
	// separates, if they all have the same value. It may be too large, never too
	// small, and more devices never make it smaller. values and numbers are by device;
	// numbers are the same where values are.
	bound(devices []int, values []value, numbers []int) int
	// key is what of the chosen ones matters for what is accepted later. Order does
	// not count.
	key(chosen held) held
}

// newConstraint returns false for a kind that is not known.
func newConstraint(in *resourceapi.DeviceConstraint) (constraint, bool) {
	switch {
	case in.MatchAttribute != nil:
		return matching{attribute(*in.MatchAttribute)}, true
	case in.DistinctAttribute != nil:
		return distinct{attribute(*in.DistinctAttribute)}, true
	}
	return nil, false
}

// held is what a constraint has seen of the devices chosen so far, in the order of
// choice.
type held []value

// attribute is the name of an attribute that a constraint looks at.
type attribute resourceapi.FullyQualifiedName

// value is what a device has in an attribute, comparable.
type value struct {
	kind kind
	text string
	num  int64
}

type kind uint8

const (
	// missing: the device does not have the attribute; no constraint accepts it.
	missing kind = iota
	// unknown: a type from a newer API; only the first device of a set may have it.
	unknown
	text
	number
	boolean
	version
)

// value returns what the device has in the attribute. An attribute of the driver's
// own domain may be published without the domain.
func (name attribute) value(device *inventory.Device) value {
	found, ok := device.Spec.Attributes[resourceapi.QualifiedName(name)]
	if !ok {
		domain, id, qualified := strings.Cut(string(name), "/")
		if !qualified || domain != device.ID.Driver {
			return value{}
		}
		if found, ok = device.Spec.Attributes[resourceapi.QualifiedName(id)]; !ok {
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
		// Semantic versions are minimal, so equal ones are the same text.
		return value{kind: version, text: *found.VersionValue}
	}
	return value{kind: unknown}
}
