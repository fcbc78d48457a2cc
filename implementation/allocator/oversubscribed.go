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

// want is the open need of a request as seen by bounds: a number of devices from its options.
type want struct {
	claim   int
	count   int
	devices []int // sorted
	options []option
}

// under reports whether a constraint of the claim applies to the request under every option.
func (w want) under(constraint int) bool {
	return !slices.ContainsFunc(w.options, func(o option) bool { return !slices.Contains(o.constraints, constraint) })
}

// option is one alternative of a request and its remaining devices.
type option struct {
	*subrequest
	count   int
	devices []int // sorted
}

// oversubscribed reports whether a subrequest and the requests after it together need more than is
// left. A device serves one request, or as many as its capacity has shares for; a counter set serves a
// limited number. Lists are tried with each alternative, an open matchAttribute with each value.
//
// Requests with admin access take nothing from others. The row stops before a request that may end the
// search with an error, to preserve the error.
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

// maxChoices bounds the choices tried for one bound. Beyond it, searching is faster.
const maxChoices = 64

// mayChoose reports whether some combination of alternatives may satisfy a row.
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

// mayMatch reports whether some combination of values for the open constraints may satisfy a row.
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

// inPairs reports whether the first request of a row may coexist with each other one. Any two may fit
// on a device whose shares do not suffice for all.
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

// openConstraint requires equal values from some members of a row, with no value chosen yet.
type openConstraint struct {
	claim, constraint int
	members           []int
}

// open lists the open constraints of a row.
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

// following lists the relevant requests after this one. ok is false if one of them is unsatisfiable on
// its own.
func (s *search) following(first *subrequest) (row []want, ok bool) {
	for claim := first.claim; claim < len(s.Demand.claims); claim++ {
		for index := range s.Demand.claims[claim].requests {
			if claim == first.claim && index <= first.request {
				continue
			}
			alternatives := s.Demand.claims[claim].requests[index].alternatives
			if slices.ContainsFunc(alternatives, func(a *subrequest) bool { return !s.known.clean[a.index] }) {
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

// want combines a request's alternatives: the count of the smallest, the devices of all.
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

// tooLarge reports whether a claim exceeds the maximum number of results.
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

// tooAlike reports whether requests need more distinct values than their devices have.
func (s *search) tooAlike(row []want) bool {
	for claim := range s.Demand.claims {
		for c, constraint := range s.Demand.claims[claim].constraints {
			if constraint.separates() { // requests may share devices
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

// tooMuch reports whether requests need more than is left. It also returns true if the search must
// end.
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
