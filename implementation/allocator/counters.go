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
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/implementation/inventory"
	"github.com/dra-conformance/dratest/implementation/state"
)

// poolState is a run's state of one pool. Counters are filled in on first use (KEP-4815).
type poolState struct {
	fetched bool
	use     *state.PoolUse

	counted bool
	// index of a counter in rest.
	index map[counterID]int
	// rest is the unused part of the counters: neither allocated nor taken in this run.
	rest []resource.Quantity
	sets map[string]int
	// spent: allocated devices exceed a counter, or one of them is not published any more, so that its
	// consumption is unknown. No device with counters can be added.
	spent bool
}

type counterID struct{ set, name string }

// counterUse is a device's consumption of one counter.
type counterUse struct {
	counter int
	amount  resource.Quantity
}

// reserve takes the device's counters unless another share already did. It returns false if they are
// insufficient. Admin access consumes none (KEP-5018).
func (s *search) reserve(p *pick) bool {
	spec := s.Node.Devices[p.device].Spec
	if len(spec.ConsumesCounters) == 0 {
		return true
	}
	if p.subrequest.admin {
		return true
	}
	if !s.Demand.config.Features.PartitionableDevices {
		return false
	}
	if s.charged(p.device) {
		return true
	}
	pool := s.counters(p.device)
	if pool.spent {
		return false
	}
	uses := s.consumes(p.device)
	for n := range uses {
		rest := &pool.rest[uses[n].counter]
		rest.Sub(uses[n].amount)
		if rest.Sign() < 0 {
			for _, use := range uses[:n+1] {
				pool.rest[use.counter].Add(use.amount)
			}
			return false
		}
	}
	p.counted, s.devices[p.device].charged = true, true
	return true
}

// refilled reports whether the remaining counters of a device's pool can still grow because devices
// give to them.
func (s *search) refilled(i int) bool { return s.Node.Pools[s.Node.PoolOf[i]].Refilled }

// charged reports whether another share of the device has taken its counters.
func (s *search) charged(i int) bool {
	if !s.shareable(i) {
		return false
	}
	use := s.use(i)
	return use.Shares > 0 || use.Consumed != nil || s.devices[i].charged
}

// restore undoes reserve.
func (s *search) restore(p pick) {
	if !p.counted {
		return
	}
	s.devices[p.device].charged = false
	pool := s.counters(p.device)
	for _, use := range s.consumes(p.device) {
		pool.rest[use.counter].Add(use.amount)
	}
}

// counters returns the pool of a device with its counters filled in.
func (s *search) counters(i int) *poolState {
	pool := &s.pools[s.Node.PoolOf[i]]
	if pool.counted {
		return pool
	}
	pool.counted = true
	s.use(i)
	published := s.Node.Pools[s.Node.PoolOf[i]]
	pool.index, pool.sets = make(map[counterID]int), make(map[string]int)
	for _, set := range slices.Sorted(maps.Keys(published.Counters)) {
		pool.sets[set] = len(pool.sets)
		for _, name := range slices.Sorted(maps.Keys(published.Counters[set])) {
			pool.index[counterID{set, name}] = len(pool.rest)
			pool.rest = append(pool.rest, published.Counters[set][name].Value.DeepCopy())
		}
	}
	if pool.use != nil {
		for name, use := range pool.use.Devices {
			if !use.Allocated() && use.Consumed == nil {
				continue
			}
			device := published.Consumers[name]
			if device == nil {
				pool.spent = pool.spent || !published.Plain[name]
				continue
			}
			for _, use := range pool.of(device) {
				pool.rest[use.counter].Sub(use.amount)
			}
		}
	}
	for n := range pool.rest {
		pool.spent = pool.spent || pool.rest[n].Sign() < 0
	}
	return pool
}

// consumes returns a device's consumption of its pool's counters.
func (s *search) consumes(i int) []counterUse {
	d := &s.devices[i]
	if d.consumes == nil {
		d.consumes = s.counters(i).of(s.Node.Devices[i])
	}
	return d.consumes
}

// of returns a device's consumption, one sorted entry per counter: bounds add up rounded numbers, so
// the order keeps the number of steps reproducible.
func (p *poolState) of(device *inventory.Device) []counterUse {
	uses := make([]counterUse, 0, len(device.Spec.ConsumesCounters))
	for _, consumption := range device.Spec.ConsumesCounters {
	counters:
		for name, counter := range consumption.Counters {
			index := p.index[counterID{consumption.CounterSet, name}] // exists in a valid pool
			for n := range uses {
				if uses[n].counter == index {
					uses[n].amount.Add(counter.Value)
					continue counters
				}
			}
			uses = append(uses, counterUse{counter: index, amount: counter.Value.DeepCopy()})
		}
	}
	slices.SortFunc(uses, func(a, b counterUse) int { return cmp.Compare(a.counter, b.counter) })
	return uses
}

// deviceUse is one device's consumption of a counter.
type deviceUse struct {
	device int
	amount resource.Quantity
}

// smallestFirst lists the consumers of each counter of a pool.
func (k *analysis) smallestFirst(s *search, pool int) [][]deviceUse {
	if k.users == nil {
		k.users = make([][][]deviceUse, len(s.pools))
	}
	if k.users[pool] != nil {
		return k.users[pool]
	}
	users := make([][]deviceUse, len(s.pools[pool].rest))
	for i, device := range s.Node.Devices {
		if s.Node.PoolOf[i] != pool || len(device.Spec.ConsumesCounters) == 0 {
			continue
		}
		for _, use := range s.consumes(i) {
			users[use.counter] = append(users[use.counter], deviceUse{i, use.amount})
		}
	}
	for _, of := range users {
		slices.SortFunc(of, func(a, b deviceUse) int { return a.amount.Cmp(b.amount) })
	}
	k.users[pool] = users
	return users
}
