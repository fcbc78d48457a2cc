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

package difftest

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/implementation/inventory"
)

// proofTime limits the search for a proof for a node.
const proofTime = 20 * time.Second

// proof is the result of a proof search.
type proof int

const (
	// proven: no allocation exists.
	proven proof = iota
	// refuted: upstream accepts an allocation with given devices.
	refuted
	// undecided: the time limit was reached.
	undecided
)

// refusal proves that the claims of a problem do not fit on a node, or finds devices accepted by
// upstream. It is independent of this project's allocator: it matches devices with requests,
// ignoring constraints, counters and capacity, and checks whether upstream's allocator accepts
// exactly these. If not, the smallest rejected part of them is a conflict, and the search excludes
// its picks one after the other. If nothing is left there is no allocation, because more devices
// never make a rejected part acceptable.
type refusal struct {
	ctx   context.Context
	judge Allocator
	pins  *pinner
	// picks are all picks accepted individually by upstream.
	picks []pick
	// places are the resources of picks: the device, or only the pick itself (its index) for a
	// shareable device.
	places []any
	// conflicts are picks, by index, rejected together by upstream.
	conflicts [][]int
	tried     sets.Set[[2]int]
}

// mark is the search's decision about a pick.
type mark int8

const (
	open mark = iota
	required
	excluded
)

func proveRefusal(ctx context.Context, judge Allocator, p *problem.Problem, node int) proof {
	ctx, cancel := context.WithTimeout(ctx, proofTime)
	defer cancel()
	r := &refusal{ctx: ctx, judge: judge, pins: newPinner(p, node), tried: sets.New[[2]int]()}
	r.findPicks()
	return r.search(make([]mark, len(r.picks)), nil)
}

// findPicks lists the devices accepted by upstream for each request alone.
func (r *refusal) findPicks() {
	for c := range r.pins.p.Claims {
		for _, chosen := range choices(r.pins.p, c) {
			devices := r.pins.devices()
			_, request := chosen.in(r.pins.p)
			if forAll(request) {
				devices = []inventory.DeviceID{{}}
			}
			for _, device := range devices {
				if one := (pick{chosen, device}); r.accepts(one) {
					var place any = len(r.picks)
					if !forAll(request) && !ptr.Deref(request.AdminAccess, false) && !r.shared(device) {
						place = device
					}
					r.picks, r.places = append(r.picks, one), append(r.places, place)
				}
			}
		}
	}
}

// shared reports whether a device may be allocated several times.
func (r *refusal) shared(id inventory.DeviceID) bool {
	for i := range r.pins.p.Slices {
		spec := &r.pins.p.Slices[i].Spec
		for d := range spec.Devices {
			is := inventory.DeviceID{Driver: spec.Driver, Pool: spec.Pool.Name, Device: spec.Devices[d].Name}
			if is == id && ptr.Deref(spec.Devices[d].AllowMultipleAllocations, false) {
				return true
			}
		}
	}
	return false
}

// accepts reports whether upstream allocates exactly these picks.
func (r *refusal) accepts(picks ...pick) bool {
	return r.judge.Solve(r.ctx, r.pins.parts(picks), For(proofTime))[0].Kind == Fits
}

func (r *refusal) acceptsAll(indices []int) bool {
	var picks []pick
	for _, i := range indices {
		picks = append(picks, r.picks[i])
	}
	return r.accepts(picks...)
}

// smallest returns a minimal rejected part of rejected picks, by bisection like QuickXplain
// (Junker, AAAI 2004). given stays.
func (r *refusal) smallest(given, refused []int, added bool) []int {
	if added && !r.acceptsAll(given) {
		return nil
	}
	if len(refused) == 1 {
		return refused
	}
	half := len(refused) / 2
	second := r.smallest(slices.Concat(given, refused[:half]), refused[half:], true)
	first := r.smallest(slices.Concat(given, second), refused[:half], len(second) > 0)
	return slices.Concat(first, second)
}
