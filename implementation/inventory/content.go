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

// Content is everything CEL selectors and constraints can see of a device: driver, multiple
// allocations, attributes, capacity with request policy. Published devices with equal content share
// one *Content. It is immutable.
type Content struct {
	Driver                   string
	AllowMultipleAllocations *bool
	Attributes               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute
	Capacity                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity

	key atomic.Pointer[ContentKey]
}

// ContentKey identifies a Content in maps without keeping it alive: contents come and go with slices,
// and cached results for removed ones should cost next to nothing. Only its address matters.
type ContentKey struct {
	_ byte // Zero-size values may all share one address.
}

// Key returns the key of this content, always the same one.
func (c *Content) Key() *ContentKey {
	if key := c.key.Load(); key != nil {
		return key
	}
	c.key.CompareAndSwap(nil, new(ContentKey))
	return c.key.Load()
}

// equal reports whether two contents are indistinguishable for selectors and for consumed capacity in
// an allocation.
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

// equalLists distinguishes nil from empty lists, like CEL.
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

// equalQuantities includes the format: it affects serialization.
func equalQuantities(a, b *resource.Quantity) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Format == b.Format && a.Cmp(*b) == 0
}
