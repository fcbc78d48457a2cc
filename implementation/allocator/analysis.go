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
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// analysis is the state of the second pass: facts computed up front and dead ends learned on the way.
type analysis struct {
	// possible devices satisfy a subrequest if nothing was taken in this run; failing devices return an
	// error instead. Both by subrequest and device.
	possible, failing [][]bool
	// takes is the capacity a subrequest consumes on a possible device.
	takes [][]amounts
	// clean subrequests have no failing device. Trying a failing device ends the search with an error, so
	// pruning because of other subrequests must not skip it.
	clean []bool
	// blind disables all shortcuts: every device is its own class, requests are not bounded by later ones,
	// nothing is remembered. It is set if both a failing device and an oversized claim are possible:
	// device order then decides the error.
	blind bool
	// class of each device. Devices of a class are interchangeable for all subrequests, constraints and
	// counters, and were free when the run started.
	class   []int
	classes int
	// values by claim, constraint and device. numbers are equal exactly where values are.
	values  [][][]value
	numbers [][][]int

	// refuted are the keys of dead-end states, size is their total length.
	refuted map[string]bool
	size    int
	// dead are the devices that failed, by level of the search.
	dead [][]int

	// users are the consumers of each counter, by pool and counter, smallest first.
	users [][][]deviceUse

	buffer          []byte
	member, counted []bool // scratch of devices, and of a pool's counters
	// nodes and offered belong to a network, by group.
	nodes, offered []int
	flow           flow
	// choices is the remaining budget of choices for the current bound.
	choices int
	used    []int
	ahead   []int
}

// maxRefuted bounds the memory of one search, in bytes of keys. States beyond it are searched again.
const maxRefuted = 16 << 20

// analyse evaluates every device once for each subrequest.
func (s *search) analyse() *analysis {
	n := len(s.Node.Devices)
	k := &analysis{
		possible: make([][]bool, len(s.Demand.subrequests)),
		failing:  make([][]bool, len(s.Demand.subrequests)),
		takes:    make([][]amounts, len(s.Demand.subrequests)),
		clean:    make([]bool, len(s.Demand.subrequests)),
		class:    make([]int, n),
		member:   make([]bool, n),
		refuted:  map[string]bool{},
		values:   make([][][]value, len(s.Demand.claims)),
		numbers:  make([][][]int, len(s.Demand.claims)),
	}
	for i := range s.Demand.claims {
		for _, c := range s.Demand.claims[i].constraints {
			values, numbers, known := make([]value, n), make([]int, n), map[value]int{}
			for d, device := range s.Node.Devices {
				values[d] = c.value(device)
				number, ok := known[values[d]]
				if !ok {
					number = len(known)
					known[values[d]] = number
				}
				numbers[d] = number
			}
			k.values[i], k.numbers[i] = append(k.values[i], values), append(k.numbers[i], numbers)
		}
	}
	for _, a := range s.Demand.subrequests {
		k.possible[a.index], k.failing[a.index], k.takes[a.index] = s.whatFits(a)
		k.clean[a.index] = !slices.Contains(k.failing[a.index], true)
	}
	k.blind = slices.Contains(k.clean, false) && s.mayExceed()
	names := map[string]int{}
	for d := range s.Node.Devices {
		name := s.className(k, d)
		class, ok := names[name]
		if !ok {
			class = len(names)
			names[name] = class
		}
		k.class[d] = class
	}
	k.classes = len(names)
	k.nodes, k.offered = make([]int, k.classes+n), make([]int, k.classes+n)
	k.used, k.ahead = make([]int, k.classes), make([]int, k.classes)
	return k
}

// mayExceed reports whether some choice of alternatives exceeds the maximum size of a claim.
func (s *search) mayExceed() bool {
	for i := range s.Demand.claims {
		total := 0
		for _, request := range s.Demand.claims[i].requests {
			most := 0
			for _, a := range request.alternatives {
				most = max(most, s.count(a))
			}
			total += most
		}
		if total > resourceapi.AllocationResultsMaxSize {
			return true
		}
	}
	return false
}

// whatFits evaluates a subrequest on all devices as if nothing was taken in this run.
func (s *search) whatFits(a *subrequest) (possible, failing []bool, takes []amounts) {
	possible, failing, takes = make([]bool, len(s.Node.Devices)), make([]bool, len(s.Node.Devices)), make([]amounts, len(s.Node.Devices))
	for i := range possible {
		if !a.admin && s.use(i).Whole {
			continue
		}
		p := pick{device: i, subrequest: a}
		fits := s.selected(a, i) && s.share(&p)
		if s.err != nil {
			failing[i], s.err = true, nil
			continue
		}
		if !fits || s.tainted(a, i) || !s.refilled(i) && !s.reserve(&p) {
			continue
		}
		s.restore(p)
		possible[i], takes[i] = true, p.taken
	}
	return possible, failing, takes
}

// className encodes everything that distinguishes a device from others.
func (s *search) className(k *analysis, i int) string {
	var b strings.Builder
	for n := range k.possible {
		switch {
		case k.possible[n][i]:
			b.WriteByte('1')
		case k.failing[n][i]:
			b.WriteByte('!')
		default:
			b.WriteByte('0')
		}
	}
	device, use := s.Node.Devices[i], s.use(i)
	if k.blind || s.shareable(i) && (use.Allocated() || use.Consumed != nil) {
		fmt.Fprintf(&b, "#%d", i)
		return b.String()
	}
	if s.shareable(i) {
		fmt.Fprintf(&b, "s%p", device.Content)
	}
	if use.Whole {
		b.WriteByte('w') // possible with admin access only
	}
	for claim := range k.values {
		for _, values := range k.values[claim] {
			v := values[i]
			fmt.Fprintf(&b, "|%d,%d,%q", v.kind, v.num, v.text)
		}
	}
	if len(device.Spec.ConsumesCounters) > 0 && s.Demand.config.Features.PartitionableDevices {
		uses := slices.Clone(s.consumes(i))
		slices.SortFunc(uses, func(a, b counterUse) int { return a.counter - b.counter })
		fmt.Fprintf(&b, "|pool%d", s.Node.PoolOf[i])
		for _, use := range uses {
			fmt.Fprintf(&b, ",%d=%s", use.counter, use.amount.String())
		}
	}
	return b.String()
}

// enter starts a level of the search without dead ends.
func (k *analysis) enter(level int) {
	for len(k.dead) <= level {
		k.dead = append(k.dead, nil)
	}
	k.dead[level] = k.dead[level][:0]
}

// fail records a dead end at a level.
func (k *analysis) fail(level, i int) { k.dead[level] = append(k.dead[level], i) }

// tried reports whether an interchangeable device has failed at this level. Swapping the two devices
// turns each solution with this one into a solution with the earlier one, and there is none.
func (k *analysis) tried(s *search, level, i int) bool {
	for _, other := range k.dead[level] {
		if k.class[other] == k.class[i] && s.alike(other, i) {
			return true
		}
	}
	return false
}

// alike reports whether two devices of a class have also lost the same in this run.
func (s *search) alike(i, j int) bool {
	a, b := &s.devices[i], &s.devices[j]
	if a.claims > 0 || b.claims > 0 || a.shares > 0 != (b.shares > 0) || a.charged != b.charged {
		return false
	}
	return a.shares == 0 || a.inFlight.String() == b.inFlight.String()
}

// key encodes the state before the k-th device of a subrequest, as far as it affects the rest of the
// search: devices taken and devices ahead by class, the values seen by the claim's constraints, and
// the number of results of the claim.
func (s *search) key(a *subrequest, n, from int) string {
	k := s.known
	b := k.buffer[:0]
	b = binary.AppendUvarint(b, uint64(a.index))
	b = binary.AppendUvarint(b, uint64(n))
	b = binary.AppendUvarint(b, uint64(s.size[a.claim]))
	clear(k.used)
	clear(k.ahead)
	var shares []string
	for i := range s.devices {
		d := &s.devices[i]
		if d.claims > 0 {
			k.used[k.class[i]]++
		} else if i >= from {
			k.ahead[k.class[i]]++
		}
		if d.shares > 0 {
			shares = append(shares, fmt.Sprintf("%d:%d:%t:%t:%s", k.class[i], d.shares, d.charged, i >= from, d.inFlight))
		}
		if has := s.has(a.claim, i); s.Demand.admin && (d.claims > 0 || has) {
			// The owner of a device matters, too.
			b = binary.AppendUvarint(b, uint64(i))
			b = binary.AppendUvarint(b, uint64(d.claims))
			b = append(b, '-')
			if has {
				b = append(b, '+')
			}
		}
	}
	for class := range k.used {
		b = binary.AppendUvarint(b, uint64(k.used[class]))
		if from > 0 {
			b = binary.AppendUvarint(b, uint64(k.ahead[class]))
		}
	}
	slices.Sort(shares)
	for _, share := range shares {
		b = append(b, share...)
		b = append(b, ';')
	}
	for c, set := range s.sets[a.claim] {
		b = s.appendSet(b, a.claim, c, set)
	}
	k.buffer = b
	return string(b)
}

// appendSet encodes the relevant values of a constraint in canonical order.
func (s *search) appendSet(b []byte, claim, c int, set held) []byte {
	set = s.Demand.claims[claim].constraints[c].key(set)
	texts := make([]string, len(set))
	for i, v := range set {
		texts[i] = fmt.Sprintf("%d,%d,%q", v.kind, v.num, v.text)
	}
	slices.Sort(texts)
	return fmt.Appendf(b, "[%s]", strings.Join(texts, " "))
}

// refute records a dead-end state.
func (k *analysis) refute(key string) {
	if !k.blind && k.size+len(key) <= maxRefuted {
		k.refuted[key] = true
		k.size += len(key)
	}
}

// String lists amounts sorted by name.
func (a amounts) String() string {
	names := make([]string, 0, len(a))
	for name := range a {
		names = append(names, string(name))
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		q := a[resourceapi.QualifiedName(name)]
		fmt.Fprintf(&b, "%s=%s ", name, q.String())
	}
	return b.String()
}
