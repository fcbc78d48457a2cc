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
	"encoding/binary"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// hopeless reports whether counting alone proves that a subrequest cannot get its devices from the
// n-th on, alone or together with later subrequests. It may miss dead ends but never reports a false
// one.
func (s *search) hopeless(a *subrequest, n int, left []int) bool {
	if !s.known.clean[a.index] {
		return false
	}
	missing := s.count(a) - n
	return s.tooFew(a, missing, left) || !s.known.blind && s.oversubscribed(a, missing, left)
}

// tooFew reports whether a subrequest lacks devices even on its own.
func (s *search) tooFew(a *subrequest, missing int, left []int) bool {
	return len(left) < missing || s.mostTogether(a, left) < missing || !a.admin && s.mostCounted(left) < missing
}

// candidates lists the devices from a position on that a subrequest could take next, and those that
// end the search with an error.
func (s *search) candidates(a *subrequest, from int) []int {
	k := s.known
	left := make([]int, 0, len(s.devices)-from)
	claim, sets := &s.Demand.claims[a.claim], s.sets[a.claim]
devices:
	for i := from; i < len(s.devices); i++ {
		if s.inUse(a, i) {
			continue
		}
		if k.failing[a.index][i] {
			left = append(left, i)
			continue
		}
		if !k.possible[a.index][i] || !s.hasLeft(a, i) {
			continue
		}
		for _, c := range a.constraints {
			if !claim.constraints[c].accepts(sets[c], k.values[a.claim][c][i]) {
				continue devices
			}
		}
		left = append(left, i)
	}
	return left
}

// left lists the devices available to a subrequest without any device yet.
func (s *search) left(a *subrequest) []int {
	devices := s.candidates(a, 0)
	if !a.all {
		return devices
	}
	return slices.DeleteFunc(devices, func(i int) bool {
		_, wanted := slices.BinarySearch(s.wanted[a.index], i)
		return !wanted
	})
}

// hasLeft reports whether a device still has enough capacity for a subrequest in this run.
func (s *search) hasLeft(a *subrequest, i int) bool {
	d := &s.devices[i]
	return a.admin || d.shares == 0 || leaves(s.Node.Devices[i], s.known.takes[a.index][i], s.use(i).Consumed, d.inFlight)
}

// mostTogether is an upper bound on the devices a subrequest can take under its constraints: the size
// of the largest group not separated by any constraint, limited by each constraint's own bound.
func (s *search) mostTogether(a *subrequest, left []int) int {
	if len(a.constraints) == 0 {
		return len(left)
	}
	constraints := s.Demand.claims[a.claim].constraints
	groups, most := map[string]int{}, 0
	for _, i := range left {
		group := s.known.buffer[:0]
		for _, c := range a.constraints {
			if constraints[c].separates() {
				group = binary.AppendUvarint(group, uint64(s.known.numbers[a.claim][c][i]))
			}
		}
		s.known.buffer = group
		groups[string(group)]++
		most = max(most, groups[string(group)])
	}
	for _, c := range a.constraints {
		most = min(most, constraints[c].bound(left, s.known.values[a.claim][c], s.known.numbers[a.claim][c]))
	}
	return most
}

// mostCounted is an upper bound on the devices allowed by shared counters.
func (s *search) mostCounted(left []int) int {
	most := 0
	groups := map[counterSet][]int{}
	for _, i := range left {
		if g, ok := s.counterSet(i); ok {
			groups[g] = append(groups[g], i)
		} else {
			most++
		}
	}
	for _, members := range groups {
		most += s.mostInSet(members)
	}
	return most
}

// counterSet is a set of shared counters in one of the node's pools.
type counterSet struct{ pool, set int }

// counterSet returns the counter set a device consumes from. A device with several sets counts in the
// first.
func (s *search) counterSet(i int) (counterSet, bool) {
	spec := s.Node.Devices[i].Spec
	if len(spec.ConsumesCounters) == 0 || s.charged(i) || len(s.consumes(i)) == 0 || s.refilled(i) {
		return counterSet{}, false
	}
	return counterSet{s.Node.PoolOf[i], s.counters(i).sets[spec.ConsumesCounters[0].CounterSet]}, true
}

// mostInSet is an upper bound on the devices that fit: each counter is checked alone, smallest
// consumers first.
func (s *search) mostInSet(members []int) int {
	k := s.known
	for _, i := range members {
		k.member[i] = true
	}
	pool, all := s.counters(members[0]), k.smallestFirst(s, s.Node.PoolOf[members[0]])
	most := len(members)
	k.counted = clean(k.counted, len(pool.rest))
	for _, i := range members {
		for _, use := range s.consumes(i) {
			if !k.counted[use.counter] {
				k.counted[use.counter] = true
				most = min(most, len(members)-s.unserved(pool.rest[use.counter], all[use.counter]))
			}
		}
	}
	for _, i := range members {
		k.member[i] = false
	}
	return most
}

// unserved is the number of consumers a counter cannot serve, smallest first.
func (s *search) unserved(rest resource.Quantity, users []deviceUse) int {
	rest, left := rest.DeepCopy(), 0
	for _, use := range users {
		if !s.known.member[use.device] {
			continue
		}
		// Later consumers are at least as large.
		if rest.Sub(use.amount); rest.Sign() < 0 {
			left++
		}
	}
	return left
}
