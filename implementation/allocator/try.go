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

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/dra-conformance/dratest/implementation/state"
)

// try gives a device to a subrequest if possible. If s.err is set, the whole search ends.
func (s *search) try(a *subrequest, i int) bool {
	if s.inUse(a, i) || !s.selected(a, i) {
		return false
	}
	p := pick{device: i, subrequest: a}
	if !a.all && !s.share(&p) {
		return false
	}
	if s.tainted(a, i) || !s.reserve(&p) {
		return false
	}
	if !s.join(a, i) {
		s.restore(p)
		return false
	}
	if a.all && !s.share(&p) {
		s.leave(a)
		s.restore(p)
		return false
	}
	d := &s.devices[i]
	switch {
	case a.admin:
		d.admins++
	case s.shareable(i):
		d.shares++
		d.inFlight = d.inFlight.plus(p.taken)
	default:
		d.claims++
	}
	if !s.shareable(i) {
		p.taken = nil
	}
	s.size[a.claim]++
	s.picks = append(s.picks, p)
	return true
}

// undo reverts the last successful try.
func (s *search) undo() {
	p := s.picks[len(s.picks)-1]
	s.picks = s.picks[:len(s.picks)-1]
	s.size[p.subrequest.claim]--
	d := &s.devices[p.device]
	switch {
	case p.subrequest.admin:
		d.admins--
	case s.shareable(p.device):
		d.shares--
		d.inFlight = d.inFlight.minus(p.taken)
	default:
		d.claims--
	}
	s.leave(p.subrequest)
	s.restore(p)
}

// use is the device's use by allocated claims.
func (s *search) use(i int) state.Use {
	pool := &s.pools[s.Node.PoolOf[i]]
	if !pool.fetched {
		pool.use, pool.fetched = s.Used.Pool(s.Node.Pools[s.Node.PoolOf[i]].ID), true
	}
	use := pool.use.Device(s.Node.Devices[i].ID.Device)
	if use.Shares > 0 && !s.shareable(i) {
		// A share from before the feature was disabled or the slice changed blocks the whole device.
		return state.Use{Whole: true}
	}
	return use
}

// inUse is the first check of a device. Admin access ignores all other claims, and other claims ignore
// it (ExactDeviceRequest.AdminAccess). Within a claim, only shared devices are used twice.
func (s *search) inUse(a *subrequest, i int) bool {
	if has := s.has(a.claim, i); has || a.admin {
		return has
	}
	return s.devices[i].claims > 0 || s.use(i).Whole
}

// has reports whether a claim took the whole device, or admin access to it, in this run.
func (s *search) has(claim, i int) bool {
	if s.devices[i].claims+s.devices[i].admins == 0 || s.shareable(i) {
		return false
	}
	for _, p := range s.picks {
		if p.device == i && p.subrequest.claim == claim {
			return true
		}
	}
	return false
}

// shareable reports whether the device allows multiple allocations (KEP-5075).
func (s *search) shareable(i int) bool {
	multiple := s.Node.Devices[i].Spec.AllowMultipleAllocations
	return multiple != nil && *multiple && s.Demand.config.Features.ConsumableCapacity
}

// selected checks the selectors of class and request, and the device's own node selection.
func (s *search) selected(a *subrequest, i int) bool {
	m := &s.matches[a.index*len(s.Node.Devices)+i]
	if *m == notEvaluated {
		v, err := s.match(a, i)
		if err != nil {
			s.err = err
			return false
		}
		*m = v
	}
	return *m == yes
}

func (s *search) match(a *subrequest, i int) (verdict, error) {
	device := s.Node.Devices[i]
	if !s.Demand.config.Features.DeviceBindingAndStatus && len(device.Spec.BindingConditions) > 0 {
		return no, nil
	}
	for k := range a.filters {
		f := &a.filters[k]
		if err := f.selector.Err(); err != nil {
			return broken, fmt.Errorf("%s: CEL compile error: %w", f.where, err)
		}
		ok, err := f.selector.Match(s.ctx, device.Content)
		if err != nil {
			return broken, fmt.Errorf("%s on device %s: CEL runtime error: %w", f.where, device.ID, err)
		}
		if !ok {
			return no, nil
		}
	}
	ok, err := s.Node.Reachable(i)
	if err != nil {
		return broken, nodeError{err}
	}
	if !ok {
		return no, nil
	}
	return yes, nil
}

// share checks the device's capacity and records the consumed amounts in the pick. Admin access
// ignores the capacity consumed by others.
func (s *search) share(p *pick) bool {
	device := s.Node.Devices[p.device]
	if !s.Demand.config.Features.ConsumableCapacity || len(device.Spec.Capacity) == 0 && p.subrequest.capacity == nil {
		return true
	}
	if p.subrequest.capacity == nil && !s.shareable(p.device) && s.untouched(p.device) {
		return true
	}
	taken, ok, err := consume(p.subrequest.capacity, device, s.Demand.config.Features.FractionalCapacityRange)
	if err != nil {
		s.err = s.capacityError(p.subrequest, p.device, err)
		return false
	}
	p.taken = taken
	var others []amounts
	if !p.subrequest.admin {
		others = []amounts{s.use(p.device).Consumed, s.devices[p.device].inFlight}
	}
	return ok && leaves(device, taken, others...)
}

// untouched reports whether a subrequest without capacity gets the whole device because no policy
// applies. Most devices qualify.
func (s *search) untouched(i int) bool {
	for _, c := range s.Node.Devices[i].Spec.Capacity {
		if c.RequestPolicy != nil || c.Value.Sign() < 0 {
			return false
		}
	}
	return true
}

func (s *search) capacityError(a *subrequest, i int, err error) error {
	return fmt.Errorf("claim %s, request %s: checking capacity for device %s: %w", s.claimName(a), a.short, s.Node.Devices[i].ID, err)
}

// tainted reports whether the device has an untolerated taint (KEP-5055). Unknown effects of a newer
// API are ignored.
func (s *search) tainted(a *subrequest, i int) bool {
	if !s.Demand.config.Features.DeviceTaints {
		return false
	}
	taints := s.Node.Devices[i].Spec.Taints
	for k := range taints {
		if taints[k].Effect != resourceapi.DeviceTaintEffectNoSchedule && taints[k].Effect != resourceapi.DeviceTaintEffectNoExecute {
			continue
		}
		if !tolerated(&taints[k], a.tolerations) {
			return true
		}
	}
	return false
}

func tolerated(taint *resourceapi.DeviceTaint, tolerations []resourceapi.DeviceToleration) bool {
	for _, toleration := range tolerations {
		if resourceclaim.ToleratesTaint(toleration, *taint) {
			return true
		}
	}
	return false
}

// join adds the device to the sets of the claim's constraints if all accept it.
func (s *search) join(a *subrequest, i int) bool {
	if len(a.constraints) == 0 {
		return true
	}
	claim, sets := &s.Demand.claims[a.claim], s.sets[a.claim]
	for n, c := range a.constraints {
		v := claim.constraints[c].value(s.Node.Devices[i])
		if !claim.constraints[c].accepts(sets[c], v) {
			for _, c := range a.constraints[:n] {
				sets[c] = sets[c][:len(sets[c])-1]
			}
			return false
		}
		sets[c] = append(sets[c], v)
	}
	return true
}

// leave undoes the last join.
func (s *search) leave(a *subrequest) {
	sets := s.sets[a.claim]
	for _, c := range a.constraints {
		sets[c] = sets[c][:len(sets[c])-1]
	}
}

func (s *search) claimName(a *subrequest) string { return s.Demand.claims[a.claim].name }
