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

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/implementation/difftest/problem"
	"github.com/dra-conformance/dratest/implementation/inventory"
)

// Meant is an intended difference.
type Meant struct {
	Name, Reason string
	// AtMost is the maximum per 1000 problems it may explain. Beyond that it may hide a bug: the
	// comparison fails.
	AtMost float64
	// Instead converts a problem into one for which upstream gives this project's answer to the
	// original, or returns nil if it does not apply. So an intended difference explains one
	// particular answer and nothing else.
	Instead func(*problem.Problem) *problem.Problem
}

// MeantDifferences lists them; keep it short.
func MeantDifferences() []Meant {
	return []Meant{
		{
			Name:   "slices that disagree about their number",
			AtMost: 1,
			Reason: "Upstream believes the slice of a pool that it sees first: one for the node before one for many, then " +
				"in the order of its cache, so that mostly the same slices can make a complete pool once and an " +
				"incomplete one another time. Own takes such a pool for incomplete until its slices agree.",
			Instead: waitForCounts,
		},
		{
			Name:   "old slices that are complete for a node",
			AtMost: 3,
			Reason: "Where a node reaches all slices of a pool's old generation and none of the new one, upstream " +
				"allocates from the old ones. Own goes by the highest generation of the whole pool (KEP-4381, ResourcePool).",
			Instead: withoutOld,
		},
	}
}

// waitForCounts makes pools incomplete if their slices announce different slice counts for the same
// generation.
func waitForCounts(p *problem.Problem) *problem.Problem {
	type key struct {
		inventory.PoolID
		generation int64
	}
	keyOf := func(spec *resourceapi.ResourceSliceSpec) key {
		return key{inventory.PoolID{Driver: spec.Driver, Pool: spec.Pool.Name}, spec.Pool.Generation}
	}
	published, announced, disagree := map[key]int64{}, map[key]int64{}, map[key]bool{}
	for i := range p.Slices {
		spec := &p.Slices[i].Spec
		k := keyOf(spec)
		if published[k]++; published[k] == 1 {
			announced[k] = spec.Pool.ResourceSliceCount
		}
		disagree[k] = disagree[k] || announced[k] != spec.Pool.ResourceSliceCount
	}
	var c *problem.Problem
	for i := range p.Slices {
		k := keyOf(&p.Slices[i].Spec)
		if !disagree[k] {
			continue
		}
		if c == nil {
			c = p.Copy()
		}
		c.Slices[i].Spec.Pool.ResourceSliceCount = published[k] + 1
	}
	return c
}

// withoutOld removes the slices older than their pool's highest generation.
func withoutOld(p *problem.Problem) *problem.Problem {
	idOf := func(spec *resourceapi.ResourceSliceSpec) inventory.PoolID {
		return inventory.PoolID{Driver: spec.Driver, Pool: spec.Pool.Name}
	}
	newest := map[inventory.PoolID]int64{}
	for i := range p.Slices {
		spec := &p.Slices[i].Spec
		newest[idOf(spec)] = max(newest[idOf(spec)], spec.Pool.Generation)
	}
	c := p.Copy()
	c.Slices = slices.DeleteFunc(c.Slices, func(s resourceapi.ResourceSlice) bool { return s.Spec.Pool.Generation < newest[idOf(&s.Spec)] })
	if len(c.Slices) == len(p.Slices) {
		return nil
	}
	return c
}

// explain returns the intended difference explaining all differences in a problem, or nil. Nodes
// count individually: they reach different slices.
func (w *worker) explain(ctx context.Context, p *problem.Problem, own, upstream []Answer) *Meant {
	for _, meant := range MeantDifferences() {
		other := meant.Instead(p)
		if other == nil {
			continue
		}
		instead := w.upstream.Solve(ctx, other, For(w.patience))
		covered := true
		for i := range upstream {
			covered = covered && (upstream[i].Kind == TooSlow || differ(own[i], upstream[i]) == "" || differ(own[i], instead[i]) == "")
		}
		if covered {
			return &meant
		}
	}
	return nil
}
