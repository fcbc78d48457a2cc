package allocator

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// hopeless says whether counting alone shows that an ask cannot get its devices
// from the n-th on out of its candidates, or that it and those after it cannot all
// get theirs. It may say false where there is no way, never true where there is one.
func (s *search) hopeless(a *ask, n int, left []int) bool {
	if !s.known.clean[a.index] {
		return false
	}
	missing := a.count - n
	if len(left) < missing {
		return true
	}
	for _, c := range a.constraints {
		if s.mostAlike(a, c, left) < missing {
			return true
		}
	}
	if s.mostCounted(left) < missing {
		return true
	}
	return n == 0 && s.crowded(a)
}

// candidates lists the devices from a position on that an ask could take next, each
// on its own, and those that end the search with an error when tried.
func (s *search) candidates(a *ask, from int) []int {
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

// mostAlike is the largest number of devices that a constraint lets an ask take.
func (s *search) mostAlike(a *ask, c int, left []int) int {
	counts := map[value]int{}
	most := 0
	for _, i := range left {
		v := s.known.values[a.claim][c][i]
		counts[v]++
		most = max(most, counts[v])
	}
	if s.Demand.claims[a.claim].constraints[c].distinct {
		return len(counts)
	}
	return most
}

// mostCounted is a bound on how many of the devices shared counters allow.
func (s *search) mostCounted(left []int) int {
	type group struct{ pool, set int }
	free := 0
	groups := map[group][]int{}
	var order []group
	for _, i := range left {
		spec := s.Node.Devices[i].Spec
		if len(spec.ConsumesCounters) == 0 || s.shareable(i) && s.devices[i].shares > 0 {
			free++
			continue
		}
		// A device with counters of several sets counts in one of them.
		uses := s.consumes(i)
		if len(uses) == 0 {
			free++
			continue
		}
		g := group{s.Node.PoolOf[i], s.counters(i).sets[spec.ConsumesCounters[0].CounterSet]}
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], i)
	}
	for _, g := range order {
		free += s.mostInSet(groups[g])
	}
	return free
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

// crowded says whether this ask and those after it want more devices than there
// are: each device can be matched with one of them only. Asks that take no device
// from others (admin access, shares) are left out, and so are lists of
// alternatives. The row ends before an ask that may end the search with an error.
func (s *search) crowded(first *ask) bool {
	var row []*ask
	for claim := first.claim; claim < len(s.Demand.claims); claim++ {
		start := 0
		if claim == first.claim {
			start = first.request
		}
		for _, request := range s.Demand.claims[claim].requests[start:] {
			a := request.alternatives[0]
			if request.listed && a.request == first.request && a.claim == first.claim {
				a = first
			} else if request.listed {
				if !s.allClean(request) {
					return s.short(row)
				}
				continue
			}
			if !s.known.clean[a.index] || a.all && len(a.constraints) > 0 {
				return s.short(row)
			}
			if !a.all && !a.admin {
				row = append(row, a)
			}
		}
	}
	return s.short(row)
}

func (s *search) allClean(request requestDemand) bool {
	for _, a := range request.alternatives {
		if !s.known.clean[a.index] || a.all && len(a.constraints) > 0 {
			return false
		}
	}
	return true
}

// short says whether the asks cannot each get as many devices as they want,
// by augmenting paths: asks on one side, classes of free devices on the other.
func (s *search) short(row []*ask) bool {
	if len(row) < 2 {
		return false
	}
	k := s.known
	m := matching{asks: row, room: make([]int, k.classes), offers: make([][]bool, len(row)), given: make([][]int, len(row))}
	for n, a := range row {
		m.offers[n], m.given[n] = make([]bool, k.classes), make([]int, k.classes)
		for i := range s.devices {
			if !k.possible[a.index][i] || s.devices[i].claims > 0 {
				continue
			}
			if s.shareable(i) {
				m.offers[n] = nil // room for any number
				break
			}
			m.offers[n][k.class[i]] = true
		}
	}
	for i := range s.devices {
		if s.devices[i].claims == 0 {
			m.room[k.class[i]]++
		}
	}
	for n, a := range row {
		if m.offers[n] == nil {
			continue
		}
		for range a.count {
			if !m.place(n, make([]bool, k.classes)) {
				return true
			}
		}
	}
	return false
}

// matching is a partial assignment of classes of devices to asks.
type matching struct {
	asks   []*ask
	room   []int    // free devices by class
	offers [][]bool // by ask and class; nil means that the ask needs no room
	given  [][]int  // by ask and class
}

// place finds room for one more device of an ask, moving others if it must.
func (m *matching) place(ask int, seen []bool) bool {
	for class, ok := range m.offers[ask] {
		if !ok || seen[class] {
			continue
		}
		seen[class] = true
		if m.room[class] > 0 {
			m.room[class]--
			m.given[ask][class]++
			return true
		}
		for other := range m.asks {
			if m.offers[other] == nil || m.given[other][class] == 0 {
				continue
			}
			if m.place(other, seen) {
				m.given[other][class]--
				m.given[ask][class]++
				return true
			}
		}
	}
	return false
}
