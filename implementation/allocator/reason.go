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
	"fmt"
	"strings"
)

// Reason names the unsatisfiable request and counts the devices reachable from the node.
type Reason struct {
	// Claim is "namespace/name", Request the name as in an allocation result.
	Claim, Request string
	// Wanted is the number of requested devices. With All the request is for all devices, and Wanted is
	// their number.
	Wanted int
	All    bool
	// Devices counts devices in complete, valid pools of all drivers. Matching counts those selected by
	// class and request.
	Devices, Matching int
	// Allocated and the others count matching devices by cause of rejection. Each device counts once, for
	// the first applicable cause in this order.
	Allocated, Tainted, Capacity, Counters, Constraints int
	// Incomplete is the number of pools in the middle of an update.
	Incomplete int
}

// explain returns the Reason for a subrequest without a device after the picks so far.
func (s *search) explain(a *subrequest) *Reason {
	r := &Reason{Claim: s.claimName(a), Request: a.name, Wanted: s.count(a), All: a.all, Devices: len(s.Node.Devices)}
	for _, pool := range s.Node.Pools {
		if pool.Incomplete {
			r.Incomplete++
		}
	}
	for i := range s.Node.Devices {
		if !s.selected(a, i) {
			continue
		}
		r.Matching++
		p := pick{device: i, subrequest: a}
		switch {
		case !a.admin && s.use(i).Whole:
			r.Allocated++
		case s.inUse(a, i):
			if s.picks[s.picked(i)].subrequest != a {
				r.Allocated++
			}
		case s.tainted(a, i):
			r.Tainted++
		case !s.share(&p):
			r.Capacity++
		case !s.reserve(&p):
			r.Counters++
		default:
			s.restore(p)
			if !s.join(a, i) {
				r.Constraints++
			} else {
				s.leave(a)
			}
		}
	}
	// Selector errors on devices evaluated only for the Reason do not end the search.
	s.err = nil
	return r
}

// picked returns the index of the last pick of a device.
func (s *search) picked(i int) int {
	for n := len(s.picks) - 1; n > 0; n-- {
		if s.picks[n].device == i {
			return n
		}
	}
	return 0
}

// String returns one line with all numbers.
func (r *Reason) String() string {
	wanted := devices(r.Wanted)
	if r.All {
		wanted = "all devices"
	}
	there := "the node has none"
	if r.Devices > 0 {
		there = fmt.Sprintf("%d of the node's %d match its selectors", r.Matching, r.Devices)
	}
	var lost []string
	for _, l := range r.lost() {
		if l.count > 0 {
			lost = append(lost, fmt.Sprintf("%d %s", l.count, l.what))
		}
	}
	line := fmt.Sprintf("claim %s, request %s wants %s, %s", r.Claim, r.Request, wanted, there)
	if len(lost) > 0 {
		line += ": " + strings.Join(lost, ", ")
	}
	if r.Incomplete > 0 {
		line += fmt.Sprintf("; %d pools are being updated", r.Incomplete)
	}
	return line
}

// loss is a number of matching devices rejected for one cause.
type loss struct {
	count int
	what  string
}

func (r *Reason) lost() []loss {
	return []loss{
		{r.Allocated, "allocated"},
		{r.Tainted, "tainted"},
		{r.Capacity, "without enough capacity"},
		{r.Counters, "without enough shared counters"},
		{r.Constraints, "excluded by constraints"},
	}
}

func devices(n int) string {
	if n == 1 {
		return "1 device"
	}
	return fmt.Sprintf("%d devices", n)
}
