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
	"context"
	"fmt"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
)

// search is one run of Allocate.
type search struct {
	Problem
	ctx context.Context
	err error
	// steps so far, and the number at the next context check.
	steps, nextCheck int
	// reason is set when the first pass gets stuck.
	reason *Reason
	// stuck: the first pass reached a dead end after it had made a choice.
	stuck bool
	// known belongs to the second pass, nil in the first.
	known *analysis

	picks []pick
	// chosen alternatives by claim and request, if any request has a list.
	chosen [][]int
	// size is the number of results by claim.
	size []int
	// sets are the values seen by constraints, by claim and constraint.
	sets [][]held
	// wanted are the devices of a subrequest for all devices, by subrequest.
	wanted [][]int

	devices []device
	// matches caches selector results, by subrequest and device.
	matches []verdict
	pools   []poolState
}

// pick is one result: a device for a subrequest.
type pick struct {
	device     int
	subrequest *subrequest
	// taken is the capacity consumed by a share of the device.
	taken amounts
	// counted: this pick reserved the device's counters.
	counted bool
}

// device is a run's state of one device of the node.
type device struct {
	// claims is the number of claims holding the device in this run, admins the number of requests with
	// admin access to it.
	claims, admins int
	// shares is the number of shares taken in this run, with inFlight their capacity.
	shares   int
	inFlight amounts
	// charged: this run took the device's counters.
	charged bool
	// consumes is filled in on first use, see counters.go.
	consumes []counterUse
}

type verdict uint8

const (
	notEvaluated verdict = iota
	yes
	no
	broken // evaluation failed
)

// outcome is the result of an attempt.
type outcome uint8

const (
	refuted outcome = iota
	found
	// exceeded: the claim has too many results, with any choice of devices.
	exceeded
)

//nolint:gochecknoglobals // memory that runs hand on to the next
var searches = sync.Pool{New: func() any { return new(search) }}

func newSearch(ctx context.Context, p Problem) *search {
	s := searches.Get().(*search)
	s.ctx, s.Problem = ctx, p
	n := len(p.Node.Devices)
	s.devices = clean(s.devices, n)
	s.matches = clean(s.matches, n*len(p.Demand.subrequests))
	s.pools = clean(s.pools, len(p.Node.Pools))
	s.size = clean(s.size, len(p.Demand.claims))
	s.chosen = clean(s.chosen, len(p.Demand.claims))
	s.sets = clean(s.sets, len(p.Demand.claims))
	for i := range p.Demand.claims {
		if p.Demand.listed {
			s.chosen[i] = make([]int, len(p.Demand.claims[i].requests))
		}
		if n := len(p.Demand.claims[i].constraints); n > 0 {
			s.sets[i] = make([]held, n)
		}
	}
	if p.Demand.all {
		s.wanted = make([][]int, len(p.Demand.subrequests))
	}
	return s
}

// clean returns n zero values, reusing the memory of s. Inner slices are lost.
func clean[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

func (s *search) release() {
	s.ctx, s.Problem, s.err, s.reason, s.known, s.wanted = nil, Problem{}, nil, nil, nil, nil
	s.steps, s.nextCheck, s.stuck = 0, 0, false
	clear(s.picks[:cap(s.picks)])
	s.picks = s.picks[:0]
	searches.Put(s)
}

// expandAll finds the devices of requests for all devices. It returns false with s.err set if that is
// impossible.
func (s *search) expandAll() bool {
	if !s.Demand.all {
		return true
	}
	for i := range s.Demand.claims {
		claim := &s.Demand.claims[i]
		for _, request := range claim.requests {
			for _, a := range request.alternatives {
				if a.all && !s.expand(claim.claim, a, request.listed) {
					return false
				}
			}
		}
		if s.err = checkSize(claim.claim, claim.requests, s.count); s.err != nil {
			return false
		}
	}
	return true
}

// expand finds the devices of one request for all devices. An alternative gets none while a pool is
// incomplete or invalid.
func (s *search) expand(claim *resourceapi.ResourceClaim, a *subrequest, listed bool) bool {
	for _, pool := range s.Node.Pools {
		state := ""
		if pool.Incomplete {
			state = "being updated"
		} else if pool.Invalid != "" {
			state = "invalid"
		}
		if state != "" && listed {
			return true
		}
		if state != "" {
			s.err = nodeError{fmt.Errorf("claim %s, request %s: asks for all devices, but resource pool %s is currently %s", name(claim), a.short, pool.ID, state)}
			return false
		}
	}
	for i, device := range s.Node.Devices {
		if !s.selected(a, i) {
			if s.err != nil {
				return false
			}
			continue
		}
		if s.Demand.config.Features.ConsumableCapacity {
			taken, ok, err := consume(a.capacity, device, s.Demand.config.Features.FractionalCapacityRange)
			if err != nil {
				s.err = fmt.Errorf("claim %s, request %s: checking capacity for device %s: %w", name(claim), a.short, device.ID.Device, err)
				return false
			}
			if !ok || !leaves(device, taken) {
				continue
			}
		}
		s.wanted[a.index] = append(s.wanted[a.index], i)
	}
	return true
}

// count is the number of devices a subrequest takes on this node.
func (s *search) count(a *subrequest) int {
	if a.all {
		return len(s.wanted[a.index])
	}
	return a.count
}

// request satisfies a request and all later ones.
func (s *search) request(claim, index int) outcome {
	if claim == len(s.Demand.claims) {
		return found
	}
	requests := s.Demand.claims[claim].requests
	if index == len(requests) {
		if o := s.request(claim+1, 0); o == found {
			return found
		}
		// A later claim that is too large may fit with other devices here.
		return refuted
	}
	request := &requests[index]
	if !request.listed {
		return s.take(request.alternatives[0], 0, 0)
	}
	last := exceeded
	for i, a := range request.alternatives {
		switch o := s.take(a, 0, 0); o {
		case found:
			s.chosen[claim][index] = i
			return found
		case refuted:
			last = refuted
		}
		if s.err != nil || s.stuck {
			return refuted
		}
	}
	return last
}

// take finds the k-th device for a subrequest, from a position in the order of devices, and satisfies
// everything after it.
func (s *search) take(a *subrequest, k, from int) outcome {
	count := s.count(a)
	if a.all && count == 0 {
		s.deadEnd(a)
		return refuted
	}
	if k >= count {
		return s.request(a.claim, a.request+1)
	}
	if count-k > resourceapi.AllocationResultsMaxSize-s.size[a.claim] {
		return exceeded
	}
	if a.all {
		if s.known != nil && k == 0 && s.step(len(s.devices)) && s.hopeless(a, 0, s.left(a)) {
			return refuted
		}
		return s.takeNextOfAll(a, k)
	}
	if s.known == nil {
		return s.greedy(a, k, from)
	}
	if !s.step(len(s.devices)) {
		return refuted
	}
	situation := s.key(a, k, from)
	if s.known.refuted[situation] {
		return refuted
	}
	left := s.candidates(a, from)
	if s.hopeless(a, k, left) {
		s.known.refute(situation)
		return refuted
	}
	level := len(s.picks)
	s.known.enter(level)
	for _, i := range left {
		if s.known.tried(s, level, i) {
			continue
		}
		if !s.step(1) {
			return refuted
		}
		if !s.try(a, i) {
			if s.err != nil {
				return refuted
			}
			continue
		}
		o := s.take(a, k+1, i+1)
		if o == found {
			return found
		}
		s.undo()
		if s.err != nil || o == exceeded {
			return o
		}
		s.known.fail(level, i)
	}
	s.known.refute(situation)
	return refuted
}

// greedy is take in the first pass, without backtracking.
func (s *search) greedy(a *subrequest, k, from int) outcome {
	for i := from; i < len(s.Node.Devices); i++ {
		if !s.step(1) {
			return refuted
		}
		if !s.try(a, i) {
			if s.err != nil {
				return refuted
			}
			continue
		}
		o := s.take(a, k+1, i+1)
		if o != found {
			s.undo()
			// Other devices might have led to a fit, unless the claim is too large.
			s.stuck = s.stuck || o == refuted
		}
		return o
	}
	s.deadEnd(a)
	return refuted
}

// takeNextOfAll takes the k-th of all devices. All are needed, so there is no choice.
func (s *search) takeNextOfAll(a *subrequest, k int) outcome {
	i := s.wanted[a.index][k]
	if !s.step(1) || !s.try(a, i) {
		s.deadEnd(a)
		return refuted
	}
	o := s.take(a, k+1, 0)
	if o != found {
		s.undo()
	}
	return o
}

// deadEnd records that a subrequest has no device left. The pod's message reports the first one.
func (s *search) deadEnd(a *subrequest) {
	if s.reason == nil && s.err == nil && s.known == nil {
		s.reason = s.explain(a)
	}
}

// step counts evaluated devices and periodically checks the context. It returns false with s.err set
// if the search must end.
func (s *search) step(devices int) bool {
	s.steps += devices
	if s.steps > s.Demand.config.MaxSteps {
		s.err = fmt.Errorf("%w after %d steps", ErrTooHard, s.Demand.config.MaxSteps)
		return false
	}
	if s.steps < s.nextCheck {
		return true
	}
	s.nextCheck = s.steps + stepsBetweenChecks
	if s.ctx.Err() != nil {
		s.err = fmt.Errorf("filter operation aborted: %w", context.Cause(s.ctx))
		return false
	}
	return true
}

// stepsBetweenChecks takes microseconds.
const stepsBetweenChecks = 256
