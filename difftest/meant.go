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
	"iter"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/framework/problem"
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
	// Translate converts an answer to the original problem into one to the converted problem, if they
	// differ.
	Translate func(Answer) Answer
}

func (m *Meant) translate(a Answer) Answer {
	if m.Translate == nil {
		return a
	}
	return m.Translate(a)
}

// MeantDifferences lists them; keep it short. The last one combines the others.
func MeantDifferences() []Meant {
	all := meantDifferences()
	return append(all, Meant{
		Name:   "several of these",
		AtMost: 3,
		Reason: "A problem may show more than one.",
		Instead: func(p *problem.Problem) *problem.Problem {
			for _, meant := range all {
				if other := meant.Instead(p); other != nil {
					p = other
				}
			}
			return p
		},
		Translate: func(a Answer) Answer {
			for _, meant := range all {
				a = meant.translate(a)
			}
			return a
		},
	})
}

func meantDifferences() []Meant {
	return []Meant{
		{
			Name:   "all devices violate a constraint",
			AtMost: 15,
			Reason: "Upstream ends the attempt if a request for all devices violates a constraint, or if an alternative is for all " +
				"devices and a pool is incomplete (kubernetes#141829). Own tries the next device or alternative " +
				"(DeviceRequest.FirstAvailable). Its answer needs a proof, as upstream has none.",
			Instead: sameProblem,
		},
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
			Instead: edited((*problem.Problem).NewestSlices),
		},
		{
			Name:   "devices of one name on different nodes",
			AtMost: 1,
			Reason: "Upstream looks for devices of the same name only among the slices for a node. Own refuses a pool if a name " +
				"occurs twice anywhere (Device.Name: unique among all devices in the pool).",
			Instead: refuseNamesakes,
		},
		{
			Name:   "both names of a capacity",
			AtMost: 10,
			Reason: "Upstream compares names of capacities as they are written (kubernetes#142202). Own takes a name " +
				"without a domain for one of the driver's domain (QualifiedName of resource.k8s.io/v1).",
			Instead: edited((*problem.Problem).LocalCapacities),
		},
		{
			Name:   "build metadata of versions",
			AtMost: 10,
			Reason: "Upstream compares versions as text. Own ignores build metadata (semver.org 2.0.0, section 10), as " +
				"Kubernetes 1.38 does.",
			Instead: edited((*problem.Problem).PlainVersions),
		},
		{
			Name:   "an allocated device with counters is not published any more",
			AtMost: 10,
			Reason: "Upstream counts nothing for it and may over-commit the counters of its pool (kubernetes#140802). Own " +
				"adds no further device with counters.",
			Instead: withoutUnknownCounters,
		},
		{
			Name:    "shares of a device that stopped allowing several allocations",
			AtMost:  10,
			Reason:  "Upstream allocates such a device (kubernetes#140798). For own it is in use.",
			Instead: edited((*problem.Problem).WholeDevices),
		},
		{
			Name:   "admin access counts as an allocation",
			AtMost: 4,
			Reason: "Upstream takes a device with admin access for allocated as far as later claims of the pod are concerned, " +
				"and wants free capacity for admin access. For own, admin access and allocations ignore each other " +
				"(ExactDeviceRequest.AdminAccess).",
			Instead:   edited(problem.Twins(twinOf).Give),
			Translate: inTwins,
		},
	}
}

// sameProblem returns a problem with a request for all devices unchanged: see worker.agrees.
func sameProblem(p *problem.Problem) *problem.Problem {
	for i := range p.Claims {
		if slices.ContainsFunc(problem.Requests(&p.Claims[i]), func(r problem.Request) bool { return r.AllocationMode == resourceapi.DeviceAllocationModeAll }) {
			return p
		}
	}
	return nil
}

// edited returns a changed copy of a problem, or nil if there is nothing to change.
func edited(edit func(*problem.Problem) bool) func(*problem.Problem) *problem.Problem {
	return func(p *problem.Problem) *problem.Problem {
		c := p.Copy()
		if !edit(c) {
			return nil
		}
		return c
	}
}

// devicesIn yields modifiable devices of all slices.
func devicesIn(p *problem.Problem) iter.Seq2[inventory.DeviceID, *resourceapi.Device] {
	return func(yield func(inventory.DeviceID, *resourceapi.Device) bool) {
		for i := range p.Slices {
			spec := &p.Slices[i].Spec
			for d := range spec.Devices {
				if !yield(inventory.DeviceID{Driver: spec.Driver, Pool: spec.Pool.Name, Device: spec.Devices[d].Name}, &spec.Devices[d]) {
					return
				}
			}
		}
	}
}

// resultsIn yields modifiable results of all allocated claims.
func resultsIn(p *problem.Problem) iter.Seq2[inventory.DeviceID, *resourceapi.DeviceRequestAllocationResult] {
	return func(yield func(inventory.DeviceID, *resourceapi.DeviceRequestAllocationResult) bool) {
		for i := range p.Allocated {
			results := p.Allocated[i].Status.Allocation.Devices.Results
			for r := range results {
				if !yield(inventory.DeviceID{Driver: results[r].Driver, Pool: results[r].Pool, Device: results[r].Device}, &results[r]) {
					return
				}
			}
		}
	}
}

// withoutUnknownCounters overdraws the counters of pools with an allocated, unpublished device.
func withoutUnknownCounters(p *problem.Problem) *problem.Problem {
	known := map[inventory.DeviceID]bool{}
	for id := range devicesIn(p) {
		known[id] = true
	}
	unknown := map[inventory.PoolID]bool{}
	for id := range resultsIn(p) {
		unknown[id.PoolID()] = unknown[id.PoolID()] || !known[id]
	}
	c := p.Copy()
	for i := range c.Slices {
		spec := &c.Slices[i].Spec
		if !unknown[inventory.PoolID{Driver: spec.Driver, Pool: spec.Pool.Name}] {
			continue
		}
		for s := range spec.SharedCounters {
			for name := range spec.SharedCounters[s].Counters {
				spec.SharedCounters[s].Counters[name] = resourceapi.Counter{Value: *resource.NewQuantity(-1, resource.DecimalSI)}
			}
		}
	}
	return c
}

// generation identifies a generation of a pool.
type generation struct {
	inventory.PoolID
	number int64
}

func generationOf(spec *resourceapi.ResourceSliceSpec) generation {
	return generation{inventory.PoolID{Driver: spec.Driver, Pool: spec.Pool.Name}, spec.Pool.Generation}
}

// waitForCounts makes pools incomplete if their slices disagree about the slice count of a
// generation.
func waitForCounts(p *problem.Problem) *problem.Problem {
	published, announced, disagree := map[generation]int64{}, map[generation]int64{}, map[generation]bool{}
	for i := range p.Slices {
		spec := &p.Slices[i].Spec
		g := generationOf(spec)
		if published[g]++; published[g] == 1 {
			announced[g] = spec.Pool.ResourceSliceCount
		}
		disagree[g] = disagree[g] || announced[g] != spec.Pool.ResourceSliceCount
	}
	var c *problem.Problem
	for i := range p.Slices {
		g := generationOf(&p.Slices[i].Spec)
		if !disagree[g] {
			continue
		}
		if c == nil {
			c = p.Copy()
		}
		c.Slices[i].Spec.Pool.ResourceSliceCount = published[g] + 1
	}
	return c
}

// refuseNamesakes makes pools with devices of the same name invalid for each node.
func refuseNamesakes(p *problem.Problem) *problem.Problem {
	repeat := map[generation]bool{}
	for _, devices := range p.Namesakes() {
		repeat[generationOf(&devices[0].Spec)] = true
	}
	if len(repeat) == 0 {
		return nil
	}
	c := p.Copy()
	for i := range c.Slices {
		spec := &c.Slices[i].Spec
		switch {
		case !repeat[generationOf(spec)]:
		case len(spec.SharedCounters) > 0:
			spec.SharedCounters = append(spec.SharedCounters, spec.SharedCounters[0])
		case len(spec.Devices) > 0:
			spec.Devices = append(spec.Devices, spec.Devices[0])
		default:
			spec.Devices = []resourceapi.Device{{Name: "twice"}, {Name: "twice"}}
		}
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
			covered = covered && (upstream[i].Kind == TooSlow || differ(own[i], upstream[i]) == "" || w.agrees(ctx, other, i, meant.translate(own[i]), instead[i]))
		}
		if covered {
			return &meant
		}
	}
	return nil
}

// agrees compares an answer with upstream's answer to the converted problem. If upstream times out
// on the converted problem, or ends the attempt because of a request for all devices, the answer needs a
// proof.
func (w *worker) agrees(ctx context.Context, other *problem.Problem, node int, own, instead Answer) bool {
	if instead.Kind != TooSlow && !endsAttempt(instead) {
		return differ(own, instead) == ""
	}
	what, counter := w.prove(ctx, other, node, own)
	if what != "" {
		return false
	}
	var count Unanswered
	*counter(&count)++
	return count.Valid+count.Proven == 1
}

// endsAttempt reports whether upstream gave up because of a request for all devices.
func endsAttempt(upstream Answer) bool {
	return upstream.Kind == PodError && (strings.Contains(upstream.Err.Error(), "because a claim constraint would not be satisfied") ||
		strings.Contains(upstream.Err.Error(), "asks for all devices, but resource pool"))
}
