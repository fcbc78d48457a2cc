package allocator

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// constraint is a matchAttribute or distinctAttribute of a claim.
type constraint struct {
	attribute resourceapi.FullyQualifiedName
	distinct  bool
}

func newConstraint(in *resourceapi.DeviceConstraint) (constraint, bool) {
	switch {
	case in.MatchAttribute != nil:
		return constraint{attribute: *in.MatchAttribute}, true
	case in.DistinctAttribute != nil:
		return constraint{attribute: *in.DistinctAttribute, distinct: true}, true
	}
	return constraint{}, false
}

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

// value returns what the device has in the constraint's attribute. An attribute of
// the driver's own domain may be published without the domain.
func (c constraint) value(device *inventory.Device) value {
	attribute, ok := device.Spec.Attributes[resourceapi.QualifiedName(c.attribute)]
	if !ok {
		domain, id, qualified := strings.Cut(string(c.attribute), "/")
		if !qualified || domain != device.ID.Driver {
			return value{}
		}
		if attribute, ok = device.Spec.Attributes[resourceapi.QualifiedName(id)]; !ok {
			return value{}
		}
	}
	switch {
	case attribute.StringValue != nil:
		return value{kind: text, text: *attribute.StringValue}
	case attribute.IntValue != nil:
		return value{kind: number, num: *attribute.IntValue}
	case attribute.BoolValue != nil:
		if *attribute.BoolValue {
			return value{kind: boolean, num: 1}
		}
		return value{kind: boolean}
	case attribute.VersionValue != nil:
		// Semantic versions are minimal, so equal ones are the same text.
		return value{kind: version, text: *attribute.VersionValue}
	}
	return value{kind: unknown}
}

// held is what the devices chosen so far have in a constraint's attribute, in the
// order of choice.
type held []value

// accepts says whether a device with value v may join the set.
func (c constraint) accepts(set held, v value) bool {
	switch {
	case v.kind == missing:
		return false
	case len(set) == 0:
		return true
	case v.kind == unknown:
		return false
	case !c.distinct:
		return v == set[0]
	}
	for _, other := range set {
		if other == v {
			return false
		}
	}
	return true
}
