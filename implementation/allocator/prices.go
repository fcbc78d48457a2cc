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
	"math"
	"math/bits"
	"slices"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// defaultPricesFrom is the number of steps before a search looks for prices. Few searches are that
// long.
const defaultPricesFrom = 3000

const (
	// priceRounds bounds the price updates per attempt.
	priceRounds = 40
	// priceTolerance covers rounding errors.
	priceTolerance = 1e-6
	// maxSharers bounds the requests per device for an exact answer on shares.
	maxSharers = 8
	// setsInStep is the number of request sets checked in the time of one step.
	setsInStep = 8
)

// market is a row of requests buying devices. A request pays its price for each device it gets. A
// device earns the prices of the best set of requests it can serve together, minus its part of the
// worth of shared counters. The rest of each counter is worth its price. If all requests can be
// satisfied, payments never exceed earnings plus counter worth, at any prices. Prices with higher
// payments prove the row unsatisfiable. (This is the Lagrangian dual with subgradient descent. A
// device is solved exactly with all its capacities, while a flow handles one capacity at a time.)
type market struct {
	row     []want
	sellers []seller
	// prices by request; worth is the price of the rest of each counter.
	prices, worth []float64
	// served is the number of devices each request gets at these prices, used the part of each counter's
	// rest in use.
	served, used []float64
}

type seller struct {
	// sets of requests it can serve together, as bits of their positions in the row.
	sets []uint64
	uses []counterPart
}

// counterPart is a part of a counter's rest.
type counterPart struct {
	counter int
	part    float64
}

// overpriced reports whether prices exist that prove a row of requests unsatisfiable.
func (s *search) overpriced(row []want) bool {
	if s.steps < s.Demand.config.pricesFrom || len(row) > bits.UintSize {
		return false
	}
	m := s.market(row)
	for round := range priceRounds {
		if !s.step(len(m.sellers)) {
			return true
		}
		paid, taken := m.trade()
		if taken < paid-priceTolerance*(1+paid) {
			return true
		}
		if !m.change((taken - paid + 1) / math.Sqrt(float64(round+1))) {
			return false
		}
	}
	return false
}

// market lists the sellers for a row of requests.
func (s *search) market(row []want) market {
	m := market{row: row, prices: make([]float64, len(row)), served: make([]float64, len(row))}
	for i := range m.prices {
		m.prices[i] = 1
	}
	counters := map[[2]int]int{} // by pool and counter
	for i := range s.devices {
		var buyers []int
		for r, w := range row {
			if _, ok := slices.BinarySearch(w.devices, i); !ok {
				continue
			}
			if w.options[0].admin {
				// Admin access takes neither devices nor counters from others.
				m.sellers = append(m.sellers, seller{sets: []uint64{1 << r}})
				continue
			}
			buyers = append(buyers, r)
		}
		if len(buyers) > 0 {
			m.sellers = append(m.sellers, seller{sets: s.together(row, i, buyers), uses: s.parts(i, counters)})
		}
	}
	m.worth, m.used = make([]float64, len(counters)), make([]float64, len(counters))
	return m
}

// parts returns a device's part of each counter's rest, and numbers new counters.
func (s *search) parts(i int, counters map[[2]int]int) []counterPart {
	if len(s.Node.Devices[i].Spec.ConsumesCounters) == 0 || s.charged(i) || s.refilled(i) {
		return nil
	}
	pool := s.counters(i)
	var parts []counterPart
	for _, use := range s.consumes(i) {
		rest := &pool.rest[use.counter]
		if rest.Sign() <= 0 || use.amount.Sign() <= 0 {
			continue
		}
		key := [2]int{s.Node.PoolOf[i], use.counter}
		counter, ok := counters[key]
		if !ok {
			counter = len(counters)
			counters[key] = counter
		}
		parts = append(parts, counterPart{counter, use.amount.AsApproximateFloat64() / rest.AsApproximateFloat64()})
	}
	return parts
}

// together lists the maximal sets of requests that can share a device.
func (s *search) together(row []want, i int, buyers []int) []uint64 {
	var sets []uint64
	all := uint64(0)
	for _, r := range buyers {
		sets = append(sets, 1<<r)
		all |= 1 << r
	}
	switch {
	case !s.shareable(i):
		return sets
	case len(buyers) > maxSharers:
		return []uint64{all}
	}
	s.steps += 1 << len(buyers) / setsInStep
	sets = sets[:0]
	fits := s.fitting(row, i)
	// Descending order: supersets come before their subsets.
	for set := all; set != 0; set = (set - 1) & all {
		if fits(set) && !slices.ContainsFunc(sets, func(larger uint64) bool { return larger&set == set }) {
			sets = append(sets, set)
		}
	}
	return sets
}

// fitting returns a function reporting whether a device has capacity for a share for each request in a
// set.
func (s *search) fitting(row []want, i int) func(set uint64) bool {
	type limit struct {
		rest  float64
		needs []float64 // by request
	}
	least := make([]amounts, len(row))
	for r, w := range row {
		if _, ok := slices.BinarySearch(w.devices, i); ok {
			least[r] = s.least(w, i)
		}
	}
	var limits []limit
	for name, capacity := range s.Node.Devices[i].Spec.Capacity {
		name = inventory.LocalName(s.Node.Devices[i].ID.Driver, name)
		rest := s.rest(i, name, capacity)
		l := limit{rest: rest.AsApproximateFloat64(), needs: make([]float64, len(row))}
		for r := range row {
			q := least[r][name]
			l.needs[r] = q.AsApproximateFloat64()
		}
		limits = append(limits, l)
	}
	return func(set uint64) bool {
		for _, l := range limits {
			sum := 0.0
			for some := set; some != 0; some &= some - 1 {
				sum += l.needs[bits.TrailingZeros64(some)]
			}
			if sum > l.rest+priceTolerance*(1+math.Abs(l.rest)) {
				return false
			}
		}
		return true
	}
}

// trade lets each device serve the best-paying requests. It returns the total payments for full
// demand, and the total of earnings and counter worth.
func (m *market) trade() (paid, taken float64) {
	clear(m.served)
	clear(m.used)
	for _, seller := range m.sellers {
		best, income := uint64(0), 0.0
		for _, set := range seller.sets {
			sum := 0.0
			for some := set; some != 0; some &= some - 1 {
				sum += m.prices[bits.TrailingZeros64(some)]
			}
			if sum > income {
				best, income = set, sum
			}
		}
		for _, use := range seller.uses {
			income -= m.worth[use.counter] * use.part
		}
		if income <= 0 {
			continue
		}
		taken += income
		for some := best; some != 0; some &= some - 1 {
			m.served[bits.TrailingZeros64(some)]++
		}
		for _, use := range seller.uses {
			m.used[use.counter] += use.part
		}
	}
	for _, worth := range m.worth {
		taken += worth
	}
	for r, w := range m.row {
		paid += m.prices[r] * float64(w.count)
	}
	return paid, taken
}

// change raises the prices of excess demand and lowers the others; far is the part of the gap to
// close. It returns false if the market is in balance. Only relative prices matter, so the highest
// request price is normalized to 1.
func (m *market) change(far float64) bool {
	length := 0.0
	for r, w := range m.row {
		length += (float64(w.count) - m.served[r]) * (float64(w.count) - m.served[r])
	}
	for _, used := range m.used {
		length += (used - 1) * (used - 1)
	}
	if length == 0 {
		return false
	}
	highest := 0.0
	for r, w := range m.row {
		m.prices[r] = max(0, m.prices[r]+far/length*(float64(w.count)-m.served[r]))
		highest = max(highest, m.prices[r])
	}
	if highest == 0 {
		return false
	}
	for r := range m.prices {
		m.prices[r] /= highest
	}
	for c := range m.worth {
		m.worth[c] = max(0, m.worth[c]+far/length*(m.used[c]-1)) / highest
	}
	return true
}
