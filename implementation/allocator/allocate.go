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
	// ErrThisNode matches all errors concerning one node. Other nodes may fit.
	ErrThisNode = errors.New("the node cannot be used")
	// ErrInvalidPools means the claims do not fit and an invalid pool on the node may be the reason. It is
	// an ErrThisNode.
	ErrInvalidPools error = nodeError{errors.New("invalid resource pools were encountered")}
	// ErrTooHard means the search exceeded Config.MaxSteps. It is an ErrThisNode.
	ErrTooHard error = nodeError{errors.New("search for devices given up")}
)

// nodeError is an ErrThisNode with a message of its own.
type nodeError struct{ error }

func (e nodeError) Is(target error) bool { return target == ErrThisNode }
func (e nodeError) Unwrap() error        { return e.error }

// Selector is a compiled CEL expression.
type Selector interface {
	// Err returns the compile error, nil if there is none.
	Err() error
	// Match reports whether the expression selects a device with this content.
	Match(ctx context.Context, content *inventory.Content) (bool, error)
}

// Problem is one allocation attempt: the demand, the node and the devices in use.
type Problem struct {
	Demand *Demand
	Node   *inventory.Node
	Used   *state.Snapshot
}

// Allocate returns the first fit, or a Result with a Reason if nothing fits. It is safe for concurrent
// use with one Demand. Errors:
//
//   - bad input for the whole pod: a selector fails on a device
//   - ErrThisNode: the search was given up, or slices of the node are invalid, or incomplete with a
//     request for all devices (as an alternative, it is skipped)
//   - the cause of ctx
//
// Devices are tried in the order of Node.Devices, requests and alternatives in the order of the
// claims; the first valid combination wins (KEP-4381, KEP-4816). The first pass is greedy. If it gets
// stuck, the second pass groups interchangeable devices into classes and restarts with bounds and a
// memory of refuted states. Its answer equals that of an exhaustive search.
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
