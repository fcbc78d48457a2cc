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
	"hash/maphash"
	"runtime"
	"sync"
	"weak"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// interner deduplicates Contents. It holds them weakly: a content goes away with its last slice,
// inventory and view. Nothing is reference-counted, and inventories need no Close.
type interner struct {
	seed maphash.Seed

	mutex    sync.Mutex
	contents map[uint64][]weak.Pointer[Content]
}

func newInterner() *interner {
	return &interner{seed: maphash.MakeSeed(), contents: make(map[uint64][]weak.Pointer[Content])}
}

// intern returns the shared content of a device.
func (in *interner) intern(driver string, device *resourceapi.Device) *Content {
	content := &Content{
		Driver:                   driver,
		AllowMultipleAllocations: device.AllowMultipleAllocations,
		Attributes:               device.Attributes,
		Capacity:                 device.Capacity,
	}
	hash := in.hash(content)

	in.mutex.Lock()
	defer in.mutex.Unlock()
	for _, known := range in.contents[hash] {
		if existing := known.Value(); existing != nil && existing.equal(content) {
			return existing
		}
	}
	in.contents[hash] = append(in.contents[hash], weak.Make(content))
	runtime.AddCleanup(content, in.forget, hash)
	return content
}

// forget drops unused contents with this hash.
func (in *interner) forget(hash uint64) {
	in.mutex.Lock()
	defer in.mutex.Unlock()
	var alive []weak.Pointer[Content]
	for _, known := range in.contents[hash] {
		if known.Value() != nil {
			alive = append(alive, known)
		}
	}
	if len(alive) == 0 {
		delete(in.contents, hash)
		return
	}
	in.contents[hash] = alive
}

// hash covers the most distinctive parts of a content; equal decides. Summing the hashes of map
// entries avoids sorting.
func (in *interner) hash(c *Content) uint64 {
	sum := maphash.String(in.seed, c.Driver)
	for name, attribute := range c.Attributes {
		sum += in.hashAttribute(name, &attribute)
	}
	for name, capacity := range c.Capacity {
		sum += in.hashCapacity(name, &capacity.Value)
	}
	return sum
}

func (in *interner) hashAttribute(name resourceapi.QualifiedName, attribute *resourceapi.DeviceAttribute) uint64 {
	var h maphash.Hash
	h.SetSeed(in.seed)
	h.WriteString(string(name))
	switch {
	case attribute.StringValue != nil:
		h.WriteByte('s')
		h.WriteString(*attribute.StringValue)
	case attribute.VersionValue != nil:
		h.WriteByte('v')
		h.WriteString(*attribute.VersionValue)
	case attribute.IntValue != nil:
		h.WriteByte('i')
		maphash.WriteComparable(&h, *attribute.IntValue)
	case attribute.BoolValue != nil && *attribute.BoolValue:
		h.WriteByte('b')
	}
	return h.Sum64()
}

func (in *interner) hashCapacity(name resourceapi.QualifiedName, value *resource.Quantity) uint64 {
	var h maphash.Hash
	h.SetSeed(in.seed)
	h.WriteByte('c')
	h.WriteString(string(name))
	maphash.WriteComparable(&h, value.Value())
	return h.Sum64()
}
