package allocator

import (
	"encoding/binary"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// hopeless says whether counting alone shows that a subrequest cannot get its devices
// from the n-th on out of its candidates, or that it and those after it cannot all
// get theirs. It may say false where there is no way, never true where there is one.
func (s *search) hopeless(a *subrequest, n int, left []int) bool {
	if !s.known.clean[a.index] {
		return false
	}
	missing := a.count - n
	return s.tooFew(a, missing, left) || !s.known.blind && s.oversubscribed(a, missing, left)
}

// tooFew says whether a subrequest cannot get enough devices even if it were alone.
func (s *search) tooFew(a *subrequest, missing int, left []int) bool {
	return len(left) < missing || s.mostTogether(a, left) < missing || s.mostCounted(left) < missing
}

// candidates lists the devices from a position on that a subrequest could take next, each
// on its own, and those that end the search with an error when tried.
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
		if !k.possible[a.index][i] {
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

// mostTogether is a bound on how many of the devices the constraints let a subrequest
// take: the largest group of devices that no constraint separates, and what each
// constraint says of all of them.
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

// mostCounted is a bound on how many of the devices shared counters allow.
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

// counterSet is one set of shared counters of one of the node's pools.
type counterSet struct{ pool, set int }

// counterSet returns what a device would take counters from. One with counters of
// several sets counts in the first.
func (s *search) counterSet(i int) (counterSet, bool) {
	spec := s.Node.Devices[i].Spec
	if len(spec.ConsumesCounters) == 0 || s.charged(i) || len(s.consumes(i)) == 0 {
		return counterSet{}, false
	}
	return counterSet{s.Node.PoolOf[i], s.counters(i).sets[spec.ConsumesCounters[0].CounterSet]}, true
}

// mostInSet is how many of the devices fit if each counter is looked at alone and
// the smallest consumers go first.
func (s *search) mostInSet(members []int) int {
	pool := s.counters(members[0])
	amounts := map[int][]resource.Quantity{}
	for _, i := range members {
		for _, use := range s.consumes(i) {
			amounts[use.counter] = append(amounts[use.counter], use.amount)
		}
	}
	most := len(members)
	for counter, uses := range amounts {
		slices.SortFunc(uses, func(a, b resource.Quantity) int { return a.Cmp(b) })
		rest := pool.rest[counter].DeepCopy()
		fit := len(members) - len(uses)
		for _, amount := range uses {
			rest.Sub(amount)
			if rest.Sign() < 0 {
				break
			}
			fit++
		}
		most = min(most, fit)
	}
	return most
}
