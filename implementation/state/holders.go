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
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// holding is one result of a claim's allocation.
type holding struct {
	claim  *claim
	result *resourceapi.DeviceRequestAllocationResult
}

func (h holding) shared() bool { return h.result.ShareID != nil }

// poolHolders are the holdings of a pool's devices. Even a device allocated as a whole may have
// several after a mistake of another scheduler; it is free only when all of them are gone.
type poolHolders struct {
	devices map[string][]holding
	// dirty are the devices changed since the last snapshot.
	dirty map[string]bool
}

func (p *poolHolders) add(h holding) {
	p.devices[h.result.Device] = append(p.devices[h.result.Device], h)
	p.dirty[h.result.Device] = true
}

func (p *poolHolders) remove(h holding) {
	name := h.result.Device
	rest := slices.DeleteFunc(p.devices[name], func(other holding) bool { return other == h })
	if len(rest) == 0 {
		delete(p.devices, name)
	} else {
		p.devices[name] = rest
	}
	p.dirty[name] = true
}

// changed returns the use of the dirty devices.
func (p *poolHolders) changed() map[string]Use {
	uses := make(map[string]Use, len(p.dirty))
	for name := range p.dirty {
		uses[name] = useOf(p.devices[name])
	}
	return uses
}

func useOf(holdings []holding) Use {
	var use Use
	for _, h := range holdings {
		if !h.shared() {
			use.Whole = true
			continue
		}
		use.Shares++
		for name, quantity := range h.result.ConsumedCapacity {
			local := inventory.LocalName(h.result.Driver, name)
			if _, both := h.result.ConsumedCapacity[local]; both && name != local {
				continue // recorded by both of its names: the short one counts
			}
			name = local
			if use.Consumed == nil {
				use.Consumed = make(map[resourceapi.QualifiedName]resource.Quantity)
			}
			// Add would modify a Quantity's big number in place.
			sum, found := use.Consumed[name]
			if !found {
				sum = quantity.DeepCopy()
			} else {
				sum.Add(quantity)
			}
			use.Consumed[name] = sum
		}
	}
	return use
}

type holders map[inventory.PoolID]*poolHolders

func (hs holders) pool(id inventory.PoolID) *poolHolders {
	p := hs[id]
	if p == nil {
		p = &poolHolders{devices: make(map[string][]holding), dirty: make(map[string]bool)}
		hs[id] = p
	}
	return p
}

// check returns ErrInUse if another claim has a device of the allocation.
func (hs holders) check(allocation *resourceapi.AllocationResult) error {
	for wanted := range (&claim{inFlight: allocation}).holdings() {
		pool := hs[poolOf(wanted.result)]
		if pool == nil {
			continue
		}
		for _, h := range pool.devices[wanted.result.Device] {
			if !wanted.shared() || !h.shared() {
				result := wanted.result
				id := inventory.DeviceID{Driver: result.Driver, Pool: result.Pool, Device: result.Device}
				return fmt.Errorf("%w: claim %s has %s", ErrInUse, h.claim.name, id)
			}
		}
	}
	return nil
}

func poolOf(result *resourceapi.DeviceRequestAllocationResult) inventory.PoolID {
	return inventory.PoolID{Driver: result.Driver, Pool: result.Pool}
}
