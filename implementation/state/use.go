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
	"maps"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// PoolUse is the use of one pool's devices. It is immutable; nil means all are free.
type PoolUse struct {
	// Devices in use, by name. Read only.
	Devices map[string]Use
}

// Device returns the use of a device; the zero Use means free.
func (p *PoolUse) Device(name string) Use {
	if p == nil {
		return Use{}
	}
	return p.Devices[name]
}

// Use is the allocated part of a device, without admin access. While consumable capacity is disabled,
// a device with shares counts as allocated as a whole.
type Use struct {
	// Whole means allocated without a share ID; no other claim can have the device.
	Whole bool
	// Shares is the number of allocations with a share ID.
	Shares int
	// Consumed is the total capacity of the shares by inventory.LocalName, nil if there is none.
	Consumed map[resourceapi.QualifiedName]resource.Quantity
}

// Allocated reports whether the device or a share of it is allocated, so that its counters are
// consumed.
func (u Use) Allocated() bool { return u.Whole || u.Shares > 0 }

func (u Use) equal(other Use) bool {
	return u.Whole == other.Whole && u.Shares == other.Shares &&
		maps.EqualFunc(u.Consumed, other.Consumed, func(a, b resource.Quantity) bool { return a.Cmp(b) == 0 })
}

// with returns the use after changes to some devices; nil if all are free, the receiver if nothing
// differs.
func (p *PoolUse) with(changed map[string]Use) *PoolUse {
	different := false
	for name, use := range changed {
		if !p.Device(name).equal(use) {
			different = true
		}
	}
	if !different {
		return p
	}
	next := &PoolUse{Devices: make(map[string]Use)}
	if p != nil {
		next.Devices = maps.Clone(p.Devices)
	}
	for name, use := range changed {
		if use.Allocated() {
			next.Devices[name] = use
		} else {
			delete(next.Devices, name)
		}
	}
	if len(next.Devices) == 0 {
		return nil
	}
	return next
}
