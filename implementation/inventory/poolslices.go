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

package inventory

import (
	"slices"
	"sync"
)

// poolSlices are all slices of a pool, reachable or not. Each change creates a new poolSlices, so
// equal addresses mean equal content.
type poolSlices struct {
	id     PoolID
	slices []*publishedSlice // Sorted by name.
	// generation is the highest one.
	generation int64
	// current are the relevant slices of the highest generation.
	current []*publishedSlice

	// duplicate returns a device name that occurs more than once in current, or "". Names must be unique in the
	// whole pool (Device.Name), because an allocation contains neither node nor slice.
	duplicate func() string
	// whole is the pool of all of current.
	whole func() *Pool
}

func newPoolSlices(id PoolID, all []*publishedSlice, features Features) *poolSlices {
	slices.SortFunc(all, compareSlices)
	p := &poolSlices{id: id, slices: all, generation: all[0].Spec.Pool.Generation}
	for _, slice := range all {
		p.generation = max(p.generation, slice.Spec.Pool.Generation)
	}
	for _, slice := range all {
		if slice.Spec.Pool.Generation == p.generation && !slice.uncounted {
			p.current = append(p.current, slice)
		}
	}
	p.duplicate = sync.OnceValue(func() string { return duplicateDevice(p.current) })
	p.whole = sync.OnceValue(func() *Pool { return newPool(id, p.current, p.duplicate(), features) })
	return p
}

// seenFrom returns the pool as seen by a node with these reachable slices (at least one, sorted by
// name), and the slices the node gets to use. The pool is nil if a newer generation, unreachable from
// the node, replaces it, even if the node's old slices look complete.
func (p *poolSlices) seenFrom(reachable []*publishedSlice, features Features) (*Pool, []*publishedSlice) {
	reachable = newest(reachable)
	if reachable[0].Spec.Pool.Generation < p.generation {
		return nil, nil
	}
	announced := reachable[0].Spec.Pool.ResourceSliceCount
	// Which count is right if they differ? Kubernetes trusts the first slice in its cache's list, and the
	// order may vary.
	agreed := !slices.ContainsFunc(reachable, func(s *publishedSlice) bool { return s.Spec.Pool.ResourceSliceCount != announced })
	if agreed && int64(len(reachable)) == announced {
		if len(reachable) == len(p.current) {
			return p.whole(), reachable
		}
		return newPool(p.id, reachable, p.duplicate(), features), reachable
	}
	if !agreed || int64(len(p.current)) != announced {
		return &Pool{ID: p.id, Incomplete: true}, reachable
	}
	return p.whole(), reachable
}

func newest(all []*publishedSlice) []*publishedSlice {
	generation := all[0].Spec.Pool.Generation
	same := true
	for _, slice := range all[1:] {
		same = same && slice.Spec.Pool.Generation == generation
		generation = max(generation, slice.Spec.Pool.Generation)
	}
	if same {
		return all
	}
	var result []*publishedSlice
	for _, slice := range all {
		if slice.Spec.Pool.Generation == generation {
			result = append(result, slice)
		}
	}
	return result
}
