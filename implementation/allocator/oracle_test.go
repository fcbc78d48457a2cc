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

package allocator_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// oracle is the exhaustive twin of Allocate for small problems. It returns the first valid assignment
// in first-fit order. It supports string attributes, "name=value" selectors, one kind of taint,
// capacities without a policy, and counters "units".
type oracle struct {
	devices []resourceapi.Device
	taken   []string         // devices of other claims
	units   map[string]int64 // remaining, by counter set
}

type (
	want struct { // a request of a claim
		claim       int
		parent      string
		constraints []resourceapi.DeviceConstraint
		options     []option
	}
	option struct { // an alternative
		name string // as in a result
		resourceapi.ExactDeviceRequest
	}
	choice struct { // an assigned device
		*want
		*option
		device *resourceapi.Device
	}
)

// first returns the first valid assignment with the prefix chosen, nil if there is none.
func (o oracle) first(open []want, chosen []choice) []choice {
	if len(open) == 0 {
		if o.valid(chosen) {
			return chosen
		}
		return nil
	}
	for i := range open[0].options {
		for _, set := range o.sets(&open[0].options[i]) {
			next := slices.Clip(chosen)
			for _, device := range set {
				next = append(next, choice{&open[0], &open[0].options[i], device})
			}
			if found := o.first(open[1:], next); found != nil {
				return found
			}
		}
	}
	return nil
}

// sets lists the possible device sets of a request: all sets of its size in order, or the single set
// of all matching devices with enough capacity.
func (o oracle) sets(r *option) [][]*resourceapi.Device {
	sets := [][]*resourceapi.Device{nil} // all subsets, in lexicographic order
	for i := len(o.devices) - 1; i >= 0; i-- {
		var with [][]*resourceapi.Device
		for _, set := range sets {
			with = append(with, append([]*resourceapi.Device{&o.devices[i]}, set...))
		}
		sets = append(with, sets...)
	}
	count := int(r.Count)
	if r.AllocationMode == resourceapi.DeviceAllocationModeAll {
		sets = sets[:1]
		sets[0] = slices.DeleteFunc(sets[0], func(d *resourceapi.Device) bool {
			return !selects(r, d) || slices.ContainsFunc(capacities, func(name resourceapi.QualifiedName) bool {
				taken, size := capacityOf(r, d, name)
				return taken > size
			})
		})
		count = max(1, len(sets[0]))
	}
	return slices.DeleteFunc(sets, func(set []*resourceapi.Device) bool { return len(set) != count })
}

func (o oracle) valid(all []choice) bool {
	type share struct {
		*resourceapi.Device
		of resourceapi.QualifiedName
	}
	left, taken, counted := maps.Clone(o.units), map[share]int64{}, map[*resourceapi.Device]bool{}
	for i, c := range all {
		admin, several := c.AdminAccess != nil, c.device.AllowMultipleAllocations != nil
		full := false
		for _, name := range capacities {
			more, size := capacityOf(c.option, c.device, name)
			if !admin {
				taken[share{c.device, name}] += more
				more = taken[share{c.device, name}]
			}
			full = full || more > size
		}
		// Admin access ignores allocations of other claims, and they ignore it.
		has := func(earlier choice) bool {
			return earlier.device == c.device && (earlier.claim == c.claim || !admin && earlier.AdminAccess == nil)
		}
		broken := func(k resourceapi.DeviceConstraint) bool { return !kept(k, c.claim, all) }
		if !selects(c.option, c.device) || len(c.device.Taints) > len(c.Tolerations) || full ||
			!admin && slices.Contains(o.taken, c.device.Name) || !several && slices.ContainsFunc(all[:i], has) ||
			slices.ContainsFunc(c.constraints, broken) {
			return false
		}
		if admin { // consumes no counters
			continue
		}
		// Nothing is added to overdrawn counters, not even a device that gives to them.
		if len(c.device.ConsumesCounters) > 0 && slices.Min(slices.Collect(maps.Values(o.units))) < 0 {
			return false
		}
		for _, uses := range c.device.ConsumesCounters {
			if q := uses.Counters["units"].Value; !several || !counted[c.device] { // shares count once, together
				left[uses.CounterSet] -= q.Value()
			}
		}
		counted[c.device] = true
		if len(c.device.ConsumesCounters) > 0 && slices.Min(slices.Collect(maps.Values(left))) < 0 {
			return false
		}
	}
	return true
}

// kept reports whether a claim's devices satisfy one of its constraints.
func kept(k resourceapi.DeviceConstraint, claim int, all []choice) bool {
	var seen []string
	for _, c := range all {
		if c.claim != claim || len(k.Requests) > 0 && !slices.Contains(k.Requests, c.parent) && !slices.Contains(k.Requests, c.name) {
			continue
		}
		v := attribute(c.device, strings.TrimPrefix(string(*cmp.Or(k.MatchAttribute, k.DistinctAttribute)), driver+"/"))
		if v == "" || len(seen) > 0 && slices.Contains(seen, v) != (k.MatchAttribute != nil) {
			return false
		}
		seen = append(seen, v)
	}
	return true
}

func attribute(d *resourceapi.Device, name string) string {
	return ptr.Deref(d.Attributes[resourceapi.QualifiedName(name)].StringValue, "")
}

func selects(r *option, d *resourceapi.Device) bool {
	return !slices.ContainsFunc(r.Selectors, func(s resourceapi.DeviceSelector) bool {
		name, want, _ := strings.Cut(s.CEL.Expression, "=")
		return attribute(d, name) != want
	})
}

var capacities = []resourceapi.QualifiedName{"memory", "cores"}

// capacityOf returns the amount a request takes of a device's capacity (all if unspecified), and the
// capacity's size.
func capacityOf(r *option, d *resourceapi.Device, name resourceapi.QualifiedName) (taken, size int64) {
	size = new(d.Capacity[name].Value).Value()
	if r.Capacity == nil {
		return size, size
	}
	q, asked := r.Capacity.Requests[name]
	switch _, there := d.Capacity[name]; {
	case !asked:
		return size, size
	case !there:
		return max(q.Value(), 1), 0 // the device lacks the capacity
	default:
		return q.Value(), size
	}
}
