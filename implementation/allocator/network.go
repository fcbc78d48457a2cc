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
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// network is the flow network: requests, devices, counter sets, sink.
type network struct {
	*search
	flow   *flow
	sink   int
	row    []want
	groups []int // nodes of existing groups
	sets   map[counterSet]*servedSet
}

// servedSet is a counter set in the network.
type servedSet struct {
	node    int
	members []int // devices
	serve   []int // maximum number of requests each member serves
}

// group numbers interchangeable devices. Untouched devices share the number of their class, all others
// have their own.
func (c *network) group(i int) int {
	if c.devices[i].shares > 0 {
		return c.known.classes + i
	}
	return c.known.class[i]
}

// offer connects a request with its available devices.
func (c *network) offer(request int, w want) {
	clear(c.known.offered)
	for _, i := range w.devices {
		if w.options[0].admin {
			c.flow.edge(request, c.sink, 1)
			continue
		}
		g := c.group(i)
		c.known.offered[g]++
		if c.groups[g] == 0 {
			c.add(g, i)
		}
	}
	for g, count := range c.known.offered {
		if count > 0 {
			c.flow.edge(request, c.groups[g], count)
		}
	}
}

// add connects a group, represented by device i, with its limits.
func (c *network) add(g, i int) {
	node := c.flow.node()
	c.groups[g] = node
	members, serves := c.membersOf(g), 1
	if c.shareable(i) {
		serves = c.shares(i)
	}
	to := c.sink
	if set, counted := c.counterSet(i); counted {
		if c.sets[set] == nil {
			c.sets[set] = &servedSet{node: c.flow.node()}
		}
		served := c.sets[set]
		for range members {
			served.serve = append(served.serve, serves)
		}
		served.members = append(served.members, members...)
		to = served.node
	}
	c.flow.edge(node, to, len(members)*serves)
}

// close limits each counter set to the number of requests its counters can serve. A device takes its
// counters once, regardless of its shares.
func (c *network) close() {
	for _, set := range c.sets {
		slices.Sort(set.serve)
		most := 0
		for _, serves := range set.serve[len(set.serve)-c.mostInSet(set.members):] {
			most += serves
		}
		c.flow.edge(set.node, c.sink, most)
	}
}

// membersOf lists the devices of a group that are not taken as a whole.
func (c *network) membersOf(g int) []int {
	if g >= c.known.classes {
		return []int{g - c.known.classes}
	}
	var members []int
	for k := range c.devices {
		if c.known.class[k] == g && c.devices[k].claims == 0 && c.devices[k].shares == 0 {
			members = append(members, k)
		}
	}
	return members
}

// shares is an upper bound on the number of requests sharing a device: each capacity is checked alone,
// smallest shares first.
func (c *network) shares(i int) int {
	var takers []amounts
	for _, w := range c.row {
		if _, ok := slices.BinarySearch(w.devices, i); ok && !w.options[0].admin {
			takers = append(takers, c.least(w, i))
		}
	}
	most := len(takers)
	for name, capacity := range c.Node.Devices[i].Spec.Capacity {
		name = inventory.LocalName(c.Node.Devices[i].ID.Driver, name)
		slices.SortFunc(takers, func(a, b amounts) int {
			x, y := a[name], b[name]
			return x.Cmp(y)
		})
		rest, fit := c.rest(i, name, capacity), 0
		for _, taker := range takers {
			rest.Sub(taker[name])
			if rest.Sign() < 0 {
				break
			}
			fit++
		}
		most = min(most, fit)
	}
	return most
}

// rest is the unused part of a device's capacity.
func (s *search) rest(i int, name resourceapi.QualifiedName, capacity resourceapi.DeviceCapacity) resource.Quantity {
	rest := capacity.Value.DeepCopy()
	for _, taken := range []amounts{s.use(i).Consumed, s.devices[i].inFlight} {
		if q, ok := taken[name]; ok {
			rest.Sub(q)
		}
	}
	return rest
}

// least is the minimum a request takes of each capacity of a device.
func (s *search) least(w want, i int) amounts {
	if len(w.options) == 1 {
		return s.known.takes[w.options[0].index][i]
	}
	least := amounts{}
	for _, a := range w.options {
		if !s.known.possible[a.index][i] {
			continue
		}
		for name, q := range s.known.takes[a.index][i] {
			if have, ok := least[name]; !ok || q.Cmp(have) < 0 {
				least[name] = q
			}
		}
	}
	return least
}
