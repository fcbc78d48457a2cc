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

package inventory

import (
	"slices"
	"sync/atomic"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Content is what CEL selectors and constraints can see of a device: driver,
// whether it can be allocated several times, attributes, capacity with its request
// policy. Two devices with equal content have the same *Content while both are
// published. It is immutable.
type Content struct {
	Driver                   string
	AllowMultipleAllocations *bool
	Attributes               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute
	Capacity                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity

	key atomic.Pointer[ContentKey]
}

// ContentKey stands for one Content in maps that must not keep it alive: contents
// come and go with slices, and what is remembered of a gone one should cost next
// to nothing. Its address is all that matters.
type ContentKey struct {
	_ byte // A type without size would have one address for all.
}

// Key returns the key of this content, always the same one.
func (c *Content) Key() *ContentKey {
	if key := c.key.Load(); key != nil {
		return key
	}
	c.key.CompareAndSwap(nil, new(ContentKey))
	return c.key.Load()
}

// equal says whether no selector can tell two contents apart, and whether capacity
// taken from one of them looks like that of the other when it is written down.
func (c *Content) equal(other *Content) bool {
	if c.Driver != other.Driver || !equalPointers(c.AllowMultipleAllocations, other.AllowMultipleAllocations) ||
		len(c.Attributes) != len(other.Attributes) || len(c.Capacity) != len(other.Capacity) {
		return false
	}
	for name, a := range c.Attributes {
		if b, found := other.Attributes[name]; !found || !equalAttributes(&a, &b) {
			return false
		}
	}
	for name, a := range c.Capacity {
		if b, found := other.Capacity[name]; !found || !equalCapacities(&a, &b) {
			return false
		}
	}
	return true
}

func equalPointers[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// equalLists tells a list that is not there from an empty one, as CEL does.
func equalLists[T comparable](a, b []T) bool {
	return (a == nil) == (b == nil) && slices.Equal(a, b)
}

func equalAttributes(a, b *resourceapi.DeviceAttribute) bool {
	return equalPointers(a.IntValue, b.IntValue) &&
		equalPointers(a.BoolValue, b.BoolValue) &&
		equalPointers(a.StringValue, b.StringValue) &&
		equalPointers(a.VersionValue, b.VersionValue) &&
		equalLists(a.IntValues, b.IntValues) &&
		equalLists(a.BoolValues, b.BoolValues) &&
		equalLists(a.StringValues, b.StringValues) &&
		equalLists(a.VersionValues, b.VersionValues)
}

func equalCapacities(a, b *resourceapi.DeviceCapacity) bool {
	return equalQuantities(&a.Value, &b.Value) && equalPolicies(a.RequestPolicy, b.RequestPolicy)
}

func equalPolicies(a, b *resourceapi.CapacityRequestPolicy) bool {
	if a == nil || b == nil {
		return a == b
	}
	if !equalQuantities(a.Default, b.Default) {
		return false
	}
	if !slices.EqualFunc(a.ValidValues, b.ValidValues, func(a, b resource.Quantity) bool { return equalQuantities(&a, &b) }) {
		return false
	}
	if a.ValidRange == nil || b.ValidRange == nil {
		return a.ValidRange == b.ValidRange
	}
	return equalQuantities(a.ValidRange.Min, b.ValidRange.Min) &&
		equalQuantities(a.ValidRange.Max, b.ValidRange.Max) &&
		equalQuantities(a.ValidRange.Step, b.ValidRange.Step)
}

// equalQuantities compares the format too: it decides how a quantity is written.
func equalQuantities(a, b *resource.Quantity) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Format == b.Format && a.Cmp(*b) == 0
}
