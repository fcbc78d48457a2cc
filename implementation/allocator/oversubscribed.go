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
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// want is what a request still needs, as far as bounds go: so many of these devices, by
// whichever of its options.
type want struct {
	claim   int
	count   int
	devices []int // sorted
	options []option
}

// under says whether the devices of a request are subject to a constraint of its claim, whichever
// of its options is taken.
func (w want) under(constraint int) bool {
	return !slices.ContainsFunc(w.options, func(o option) bool { return !slices.Contains(o.constraints, constraint) })
}

// option is one of the alternatives of a request, with the devices that are left for it.
type option struct {
	*subrequest
	count   int
	devices []int // sorted
}

// oversubscribed says whether a subrequest, which still misses some devices out of those left
// for it, and the requests after it want more than there is together: a device goes to one of
// them only, or to as many as its capacity has shares for, and a set of shared counters serves
// so many. Lists are tried with each alternative, a matchAttribute that has no value yet with
// each value.
//
// Requests with admin access take no device from others, but their shares count. The row ends
// before a request that may end the search with an error, so that the error is not lost.
func (s *search) oversubscribed(first *subrequest, missing int, left []int) bool {
	row, ok := s.following(first)
	if !ok {
		return true
	}
	alone := len(row) == 0
	row = slices.Insert(row, 0, want{claim: first.claim, count: missing, devices: left, options: []option{{first, missing, left}}})
	if alone {
		return s.overpriced(row)
	}
	s.known.choices = maxChoices
	return !s.mayChoose(row)
}

// maxChoices bounds how many choices are tried for one bound: beyond that the search finds
// out faster.
const maxChoices = 64

// mayChoose says whether a row may be satisfied with some alternative of each list.
func (s *search) mayChoose(row []want) bool {
	list := slices.IndexFunc(row, func(w want) bool { return len(w.options) > 1 })
	if list < 0 {
		return s.mayMatch(row, s.open(row))
	}
	if s.tooMuch(row) || s.overpriced(row) {
		return false
	}
	for _, o := range row[list].options {
		if s.known.choices--; s.known.choices < 0 {
			return true
		}
		chosen := slices.Clone(row)
		chosen[list] = want{claim: o.claim, count: o.count, devices: o.devices, options: []option{o}}
		if s.mayChoose(chosen) {
			return true
		}
	}
	return false
}

// mayMatch says whether a row may be satisfied with some value for each of the constraints.
func (s *search) mayMatch(row []want, constraints []openConstraint) bool {
	if s.tooMuch(row) {
		return false
	}
	if len(constraints) == 0 {
		return s.inPairs(row) && !s.overpriced(row)
	}
	c := constraints[0]
	numbers := s.known.numbers[c.claim][c.constraint]
	tried := map[int]bool{}
	for _, i := range row[c.members[0]].devices {
		if tried[numbers[i]] {
			continue
		}
		tried[numbers[i]] = true
		if s.known.choices--; s.known.choices < 0 {
			return true
		}
		restricted := slices.Clone(row)
		for _, m := range c.members {
			restricted[m].devices = slices.DeleteFunc(slices.Clone(row[m].devices), func(k int) bool { return numbers[k] != numbers[i] })
		}
		if s.mayMatch(restricted, constraints[1:]) {
			return true
		}
	}
	return false
}

// inPairs says whether the first of a row may have its devices beside each other one alone:
// devices may have shares for any two of the row and still not for these.
func (s *search) inPairs(row []want) bool {
	if len(row) < 3 || !slices.ContainsFunc(row[0].devices, s.shareable) {
		return true
	}
	for _, other := range row[1:] {
		if s.tooMuch([]want{row[0], other}) {
			return false
		}
	}
	return true
}

// openConstraint is a constraint for which all devices of some members of a row must have the
// same value, and none was chosen yet.
type openConstraint struct {
	claim, constraint int
	members           []int
}

// open lists the constraints of a row that are open.
func (s *search) open(row []want) []openConstraint {
	var all []openConstraint
	for claim := range s.Demand.claims {
		for c, constraint := range s.Demand.claims[claim].constraints {
			if !constraint.separates() || len(s.sets[claim][c]) > 0 {
				continue
			}
			o := openConstraint{claim: claim, constraint: c}
			for m, w := range row {
				if w.claim == claim && w.count > 0 && w.under(c) {
					o.members = append(o.members, m)
				}
			}
			if len(o.members) > 0 {
				all = append(all, o)
			}
		}
	}
	return all
}

// following are the requests after this one that count. ok is false if one of them cannot be
// satisfied even if it were alone.
func (s *search) following(first *subrequest) (row []want, ok bool) {
	for claim := first.claim; claim < len(s.Demand.claims); claim++ {
		for index := range s.Demand.claims[claim].requests {
			if claim == first.claim && index <= first.request {
				continue
			}
			alternatives := s.Demand.claims[claim].requests[index].alternatives
			if slices.ContainsFunc(alternatives, s.mayEndSearch) {
				return row, true
			}
			w := s.want(alternatives)
			if len(w.options) == 0 {
				return nil, false
			}
			row = append(row, w)
		}
	}
	return row, true
}

// mayEndSearch says whether trying devices for a subrequest may be an error.
func (s *search) mayEndSearch(a *subrequest) bool {
	return !s.known.clean[a.index] || a.all && len(a.constraints) > 0
}

// want is what a request needs that has no device yet: at least what its most modest
// alternative takes, out of the devices of all of them.
func (s *search) want(alternatives []*subrequest) want {
	w := want{claim: alternatives[0].claim}
	for _, a := range alternatives {
		count := s.count(a)
		if a.all && count == 0 {
			continue
		}
		devices := s.left(a)
		if s.tooFew(a, count, devices) {
			continue
		}
		w.options = append(w.options, option{a, count, devices})
		if len(w.options) == 1 {
			w.count, w.devices = count, devices
			continue
		}
		w.count = min(w.count, count)
		w.devices = slices.Concat(w.devices, devices)
		slices.Sort(w.devices)
		w.devices = slices.Compact(w.devices)
	}
	return w
}

// tooLarge says whether a claim gets more results than can be recorded.
func (s *search) tooLarge(row []want) bool {
	claim, total := row[0].claim, s.size[row[0].claim]
	for _, w := range row {
		if w.claim != claim {
			claim, total = w.claim, 0
		}
		if total += w.count; total > resourceapi.AllocationResultsMaxSize {
			return true
		}
	}
	return false
}

// tooAlike says whether requests want more devices of different values together than there are.
func (s *search) tooAlike(row []want) bool {
	for claim := range s.Demand.claims {
		for c, constraint := range s.Demand.claims[claim].constraints {
			if constraint.separates() { // its devices may be shared by requests
				continue
			}
			wanted, members := 0, 0
			var devices []int
			for _, w := range row {
				if w.claim != claim || !w.under(c) {
					continue
				}
				members++
				wanted += w.count
				devices = append(devices, w.devices...)
			}
			if members > 1 && constraint.bound(devices, s.known.values[claim][c], s.known.numbers[claim][c]) < wanted {
				return true
			}
		}
	}
	return false
}

// tooMuch says whether requests want more together than there is. It says so, too, when the
// search must end.
func (s *search) tooMuch(row []want) bool {
	if !s.step(len(s.devices)) || s.tooLarge(row) || s.tooAlike(row) {
		return true
	}
	f := &s.known.flow
	f.reset()
	source, sink := f.node(), f.node()
	clear(s.known.nodes)
	c := network{search: s, flow: f, sink: sink, row: row, groups: s.known.nodes, sets: map[counterSet]*servedSet{}}
	wanted := 0
	for _, w := range row {
		wanted += w.count
		node := f.node()
		f.edge(source, node, w.count)
		c.offer(node, w)
	}
	c.close()
	return f.most(source, sink) < wanted
}
