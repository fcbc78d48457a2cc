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

package difftest

import (
	"math"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// search decides about picks until upstream accepts the rest or nothing is left. The decided
// choices are one alternative for each of the first requests.
func (r *refusal) search(marks []mark, decided []choice) proof {
	if r.ctx.Err() != nil {
		return undecided
	}
	marks = slices.Clone(marks)
	if !r.propagate(marks) {
		return proven
	}
	assigned, ok := r.match(marks, decided)
	if !ok {
		return proven
	}
	if next := r.undecided(decided); len(next) > 0 {
		return r.first(len(next), func(i int) proof { return r.search(marks, append(slices.Clone(decided), next[i])) })
	}
	r.tryPairs(assigned)
	conflict := r.conflict(assigned)
	if conflict == nil {
		if r.acceptsAll(assigned) {
			return refuted
		}
		if conflict = r.smallest(nil, assigned, false); r.ctx.Err() != nil {
			return undecided
		}
		r.conflicts = append(r.conflicts, conflict)
	}
	conflict = slices.DeleteFunc(slices.Clone(conflict), func(i int) bool { return marks[i] == required })
	return r.first(len(conflict), func(i int) proof {
		next := slices.Clone(marks)
		for _, before := range conflict[:i] {
			next[before] = required
		}
		next[conflict[i]] = excluded
		return r.search(next, decided)
	})
}

// first returns the first result of n ways that is not proven, or else proven.
func (r *refusal) first(n int, try func(int) proof) proof {
	for i := range n {
		if result := try(i); result != proven {
			return result
		}
	}
	return proven
}

// propagate excludes picks in conflict with required ones. It returns false if required picks
// conflict with each other.
func (r *refusal) propagate(marks []mark) bool {
	for _, conflict := range r.conflicts {
		left := slices.DeleteFunc(slices.Clone(conflict), func(i int) bool { return marks[i] == required })
		switch len(left) {
		case 0:
			return false
		case 1:
			marks[left[0]] = excluded
		}
	}
	return true
}

// undecided are the alternatives of the first undecided request, or none.
func (r *refusal) undecided(decided []choice) []choice {
	n := 0
	for c := range r.pins.p.Claims {
		for request := range r.pins.p.Claims[c].Spec.Devices.Requests {
			if n++; n <= len(decided) {
				continue
			}
			return slices.DeleteFunc(choices(r.pins.p, c), func(other choice) bool { return other.request != request })
		}
	}
	return nil
}

// tryPairs adds the conflicts of two among some picks. Most conflicts are pairs, and a pair is
// cheap.
func (r *refusal) tryPairs(assigned []int) {
	for n, i := range assigned {
		for _, j := range assigned[:n] {
			pair := [2]int{j, i}
			if r.tried.Has(pair) {
				continue
			}
			r.tried.Insert(pair)
			if !r.acceptsAll(pair[:]) && r.ctx.Err() == nil {
				r.conflicts = append(r.conflicts, pair[:])
			}
		}
	}
}

// conflict returns the first known conflict among some picks, or nil.
func (r *refusal) conflict(assigned []int) []int {
	for _, conflict := range r.conflicts {
		if !slices.ContainsFunc(conflict, func(i int) bool { return !slices.Contains(assigned, i) }) {
			return conflict
		}
	}
	return nil
}

// match assigns devices to the choices, required ones first, and to each undecided request as many
// of any alternative as its smallest needs. It fails if there are not enough.
func (r *refusal) match(marks []mark, decided []choice) ([]int, bool) {
	m := matching{r: r, marks: marks, taken: map[any]taking{}}
	var rest []demand
	results := map[int]int{} // by claim
	for _, d := range r.demands(decided) {
		claim := d.choices[0].claim
		if results[claim] += d.needs; results[claim] > resourceapi.AllocationResultsMaxSize {
			return nil, false
		}
		for i, pick := range r.picks {
			if marks[i] != required || !slices.Contains(d.choices, pick.choice) {
				continue
			}
			if _, taken := m.taken[r.places[i]]; taken || d.needs == 0 {
				return nil, false
			}
			m.taken[r.places[i]] = taking{i, d.choices}
			d.needs--
		}
		rest = append(rest, d)
	}
	for _, d := range rest {
		for range d.needs {
			if !m.serve(d.choices, map[any]bool{}) {
				return nil, false
			}
		}
	}
	var all []int
	for _, t := range m.taken {
		all = append(all, t.pick)
	}
	slices.Sort(all)
	return all, true
}

// demand is a request's required number of devices, of any alternative.
type demand struct {
	choices []choice
	needs   int
}

func (r *refusal) demands(decided []choice) []demand {
	var all []demand
	for c := range r.pins.p.Claims {
		for request := range r.pins.p.Claims[c].Spec.Devices.Requests {
			d := demand{needs: math.MaxInt}
			for _, chosen := range choices(r.pins.p, c) {
				if chosen.request == request && (len(all) >= len(decided) || decided[len(all)] == chosen) {
					d.choices = append(d.choices, chosen)
					d.needs = min(d.needs, r.needs(chosen))
				}
			}
			all = append(all, d)
		}
	}
	return all
}

// needs is the number of picks for a choice; all devices are one.
func (r *refusal) needs(chosen choice) int {
	_, request := chosen.in(r.pins.p)
	if forAll(request) {
		return 1
	}
	return int(request.Count)
}

// matching matches devices with requests, by augmenting paths.
type matching struct {
	r     *refusal
	marks []mark
	taken map[any]taking
}

// taking is the pick at a place, and its alternatives.
type taking struct {
	pick   int
	wanted []choice
}

// serve finds one more device, reassigning others.
func (m *matching) serve(wanted []choice, seen map[any]bool) bool {
	for i, pick := range m.r.picks {
		place := m.r.places[i]
		if m.marks[i] != open || seen[place] || !slices.Contains(wanted, pick.choice) {
			continue
		}
		seen[place] = true
		other, taken := m.taken[place]
		if taken && (m.marks[other.pick] == required || !m.serve(other.wanted, seen)) {
			continue
		}
		m.taken[place] = taking{i, wanted}
		return true
	}
	return false
}
