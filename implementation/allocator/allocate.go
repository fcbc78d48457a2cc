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
	"errors"

	"github.com/dra-conformance/dratest/implementation/inventory"
	"github.com/dra-conformance/dratest/implementation/state"
)

var (
	// ErrInvalidPools: the claims do not fit and at least one pool of the node is
	// invalid, so that this might be the reason. Other nodes may do.
	ErrInvalidPools = errors.New("invalid resource pools were encountered")
	// ErrTooHard: the search was given up after Config.MaxSteps.
	ErrTooHard = errors.New("search for devices given up")
)

// Selector is a compiled CEL expression.
type Selector interface {
	// Err returns why the expression does not compile, nil if it does.
	Err() error
	// Match says whether a device with this content is selected.
	Match(ctx context.Context, content *inventory.Content) (bool, error)
}

// Problem is one allocation to try: what is asked for, where, and what is taken.
type Problem struct {
	Demand *Demand
	Node   *inventory.Node
	Used   *state.Snapshot
}

// Allocate finds the first fit. That there is none is a Result with a Reason. The
// error means bad input for the pod as a whole (a selector that fails on a device,
// a constraint that a request for all devices cannot meet), ErrInvalidPools or
// ErrTooHard for this node, or the cause of ctx's end. It is safe for concurrent
// use with one Demand.
//
// Devices are tried in the order of Node.Devices, requests and alternatives in the
// order of the claims; the first combination that works is taken (KEP-4381,
// KEP-4816). A first pass takes whatever fits next. Only if that gets stuck the
// devices are sorted into classes that are the same to all requests, and the search
// starts anew with bounds and with a memory of what was refuted: it comes to the
// same answer as trying everything.
func Allocate(ctx context.Context, p Problem) (Result, error) {
	s := newSearch(ctx, p)
	defer s.release()
	if !s.expandAll() {
		return Result{}, s.err
	}
	outcome := s.request(0, 0)
	if s.err == nil && outcome != found && s.stuck {
		s.known, s.stuck = s.analyse(), false
		outcome = s.request(0, 0)
	}
	switch {
	case s.err != nil:
		return Result{}, s.err
	case outcome == found:
		r := s.result()
		return r, r.recordable()
	}
	for _, pool := range p.Node.Pools {
		if pool.Invalid != "" {
			return Result{}, ErrInvalidPools
		}
	}
	return Result{reason: s.reason}, nil
}
