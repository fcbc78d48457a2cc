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

package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/framework/problem"
)

// budget limits the devices tried by a search.
const budget = 50_000

// slot is a request to satisfy, by one of its alternatives.
type slot struct {
	demand  *demand
	choices []*candidates
}

// candidates are the devices certainly allowed for a choice on a node, if free.
type candidates struct {
	*choice
	devices []*device
	shares  []map[string]share
	// possible is false if the choice cannot be satisfied, or not with certainty.
	possible bool
}

// search looks for devices for claims on a node, in addition to all other allocations. It uses only
// devices certainly allowed by the API, so a scheduler must find a solution, too.
type search struct {
	w     *world
	node  *problem.Node
	uses  *uses
	slots []slot
	// doubt explains why the search may be incomplete, or why an attempt may end with an error.
	doubt string

	steps int
	taken map[*device]int
	// added has the consumed capacity of taken devices, spent their counters.
	added map[*device]map[string]resource.Quantity
	spent map[counter]resource.Quantity
	// picked has the devices of each demand in order, with their choices.
	picked map[*demand][]pick
	// alike caches likeness.
	alike map[*device]string
}

type pick struct {
	*candidates
	device *device
}

func (w *world) newSearch(node *problem.Node, uses *uses) *search {
	return &search{
		w: w, node: node, uses: uses, taken: map[*device]int{}, added: map[*device]map[string]resource.Quantity{},
		spent: map[counter]resource.Quantity{}, picked: map[*demand][]pick{}, alike: map[*device]string{},
	}
}

// want adds a request with the given alternatives.
func (s *search) want(d *demand, choices []choice) {
	added := slot{demand: d}
	for i := range choices {
		added.choices = append(added.choices, s.candidatesOf(&choices[i]))
	}
	s.slots = append(s.slots, added)
}

func (s *search) candidatesOf(c *choice) *candidates {
	result := &candidates{choice: c, possible: c.class != nil}
	if c.class == nil {
		return result
	}
	for _, d := range s.w.all {
		reaches := s.w.reaches(d, s.node)
		if reaches == no || d.pool.usable == no {
			continue
		}
		wanted := s.w.wanted(c, d)
		if wanted == open {
			s.doubt = "a selector has no result for device " + d.id.String()
		}
		if wanted != yes {
			continue
		}
		shares, fits := s.w.shares(c, d)
		sure := reaches == yes && d.pool.usable == yes && fits && !d.peculiar() && s.w.tolerates(c, d)
		if sure {
			result.devices, result.shares = append(result.devices, d), append(result.shares, shares)
		} else if c.all {
			result.possible = false
		}
	}
	if c.all {
		result.possible = result.possible && len(result.devices) > 0 && s.w.trouble(s.node) == no
	} else {
		result.possible = len(result.devices) >= c.count
	}
	return result
}

// fix picks the allocated devices of all requests before an index. It returns false if that is
// impossible.
func (s *search) fix(d *demand, before int) bool {
	ok := true
	for i := range d.requests[:before] {
		chosen := d.chosen(i)
		if chosen < 0 {
			return false
		}
		c := s.candidatesOf(&d.requests[i].choices[chosen])
		for _, r := range d.claim.Status.Allocation.Devices.Results {
			if r.Request == c.name {
				k := slices.Index(c.devices, s.w.devices[idOf(&r)])
				ok = ok && k >= 0 && s.take(d, c, k)
			}
		}
	}
	return ok
}

// String lists the devices picked by a successful search.
func (s *search) String() string {
	text := "node " + s.node.Name
	for _, slot := range s.slots {
		for _, p := range s.picked[slot.demand] {
			if slices.Contains(slot.choices, p.candidates) {
				text += ", " + p.name + ": " + p.device.id.String()
			}
		}
	}
	return text
}

// run reports whether all slots can be satisfied. Open means that the budget was exhausted.
func (s *search) run() answer {
	if s.place(0) {
		return yes
	}
	if s.steps > budget {
		return open
	}
	return no
}

func (s *search) place(i int) bool {
	if i == len(s.slots) {
		return true
	}
	for _, c := range s.slots[i].choices {
		switch {
		case !c.possible:
		case c.all:
			if s.takeAll(i, c, 0) {
				return true
			}
		case s.takeSome(i, c, 0, c.count):
			return true
		}
	}
	return false
}

func (s *search) takeAll(i int, c *candidates, from int) bool {
	if from == len(c.devices) {
		return s.place(i + 1)
	}
	if !s.take(s.slots[i].demand, c, from) {
		return false
	}
	found := s.takeAll(i, c, from+1)
	if !found {
		s.giveBack(s.slots[i].demand, c, from)
	}
	return found
}

// takeSome takes count more devices of a choice, starting at an index.
func (s *search) takeSome(i int, c *candidates, from, count int) bool {
	if count == 0 {
		return s.place(i + 1)
	}
	d := s.slots[i].demand
	failed := map[string]bool{}
	for k := from; k <= len(c.devices)-count && s.steps <= budget; k++ {
		alike := s.likeness(c.devices[k])
		if failed[alike] || !s.take(d, c, k) {
			continue
		}
		if s.takeSome(i, c, k+1, count-1) {
			return true
		}
		s.giveBack(d, c, k)
		failed[alike] = true
	}
	return false
}

// take allocates a device if possible.
func (s *search) take(d *demand, c *candidates, k int) bool {
	s.steps++
	device := c.devices[k]
	if len(s.picked[d]) >= resourceapi.AllocationResultsMaxSize || !s.free(d, c, k) {
		return false
	}
	s.picked[d] = append(s.picked[d], pick{c, device})
	if !s.agree(d, c.choice) {
		s.picked[d] = s.picked[d][:len(s.picked[d])-1]
		return false
	}
	if c.admin {
		return true
	}
	s.taken[device]++
	s.count(c, k, 1)
	return true
}

func (s *search) giveBack(d *demand, c *candidates, k int) {
	s.picked[d] = s.picked[d][:len(s.picked[d])-1]
	if c.admin {
		return
	}
	s.taken[c.devices[k]]--
	s.count(c, k, -1)
}

// count adds or, with sign -1, subtracts the consumption of a device.
func (s *search) count(c *candidates, k, sign int) {
	device := c.devices[k]
	change := func(total, amount resource.Quantity) resource.Quantity {
		if sign < 0 {
			total.Sub(amount)
		} else {
			total.Add(amount)
		}
		return total
	}
	if device.shared && s.added[device] == nil {
		s.added[device] = map[string]resource.Quantity{}
	}
	for name, share := range c.shares[k] {
		s.added[device][name] = change(s.added[device][name], share.amount)
	}
	if first := s.taken[device] == (1+sign)/2 && len(s.uses.byDevice[device.id]) == 0; first {
		for _, each := range consumed(device) {
			s.spent[each.counter] = change(s.spent[each.counter], each.amount)
		}
	}
}

// free reports whether a device can be allocated once more.
func (s *search) free(d *demand, c *candidates, k int) bool {
	device := c.devices[k]
	// Requests of a claim get distinct devices (DeviceClaim.Requests), except for shares of a
	// device (KEP-5075).
	if slices.ContainsFunc(s.picked[d], func(p pick) bool { return p.device == device && (c.admin || p.admin) }) {
		return false
	}
	if c.admin {
		return true
	}
	others := s.uses.byDevice[device.id]
	if !device.shared {
		return s.taken[device] == 0 && len(others) == 0 && s.countersSuffice(device)
	}
	if slices.ContainsFunc(others, s.w.exclusive) || s.taken[device] == 0 && len(others) == 0 && !s.countersSuffice(device) {
		return false
	}
	for name, share := range c.shares[k] {
		total := share.amount.DeepCopy()
		total.Add(s.added[device][name])
		for _, other := range others {
			total.Add(localAmounts(device.id.driver, other.result.ConsumedCapacity)[name])
		}
		if has := device.capacity[name].Value; total.Cmp(has) > 0 {
			return false
		}
	}
	return true
}

func (s *search) countersSuffice(d *device) bool {
	if len(d.ConsumesCounters) == 0 {
		return true
	}
	if s.uses.uncertain(d.pool, d.id.poolID()) {
		return false
	}
	for _, c := range consumed(d) {
		total := c.amount.DeepCopy()
		total.Add(s.spent[c.counter])
		total.Add(s.uses.spent[c.counter])
		if has := d.pool.counters[c.set][c.name].Value; total.Cmp(has) > 0 {
			return false
		}
	}
	return true
}

// agree reports whether the devices picked so far satisfy the constraints on a choice.
func (s *search) agree(d *demand, c *choice) bool {
	for i := range d.constraints {
		constraint := &d.constraints[i]
		if !c.named(constraint.Requests) {
			continue
		}
		var devices []*device
		for _, p := range s.picked[d] {
			if p.named(constraint.Requests) {
				devices = append(devices, p.device)
			}
		}
		if agrees(constraint, devices) != yes {
			return false
		}
	}
	return true
}

// likeness is equal for devices interchangeable in the search.
func (s *search) likeness(d *device) string {
	if text, ok := s.alike[d]; ok {
		return text
	}
	var text strings.Builder
	for _, slot := range s.slots {
		for _, c := range slot.choices {
			fmt.Fprint(&text, slices.Contains(c.devices, d), " ")
		}
		for i := range slot.demand.constraints {
			for _, name := range []*resourceapi.FullyQualifiedName{slot.demand.constraints[i].MatchAttribute, slot.demand.constraints[i].DistinctAttribute} {
				if name != nil {
					v, ok := attribute(d, *name)
					fmt.Fprint(&text, v, ok)
				}
			}
		}
	}
	counters := consumed(d)
	slices.SortFunc(counters, func(a, b amountOf) int { return cmp.Or(cmp.Compare(a.set, b.set), cmp.Compare(a.name, b.name)) })
	for _, c := range counters {
		fmt.Fprint(&text, c.counter, c.amount.String())
	}
	if d.shared || len(s.uses.byDevice[d.id]) > 0 {
		fmt.Fprint(&text, d.id)
	}
	s.alike[d] = text.String()
	return s.alike[d]
}
