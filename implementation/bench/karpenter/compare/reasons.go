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

package compare

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/difftest"
	"github.com/dra-conformance/dratest/framework/problem"
)

// Reason is a gap in karpenter's allocator, causing placements of pods where they cannot run. It
// explains an answer if we place the pod on the node, too, after removing the unsupported feature
// from the problem, or if Is returns true.
type Reason struct {
	Name, Why string
	Without   func(*problem.Problem)
	Is        func(own, upstream, karpenter difftest.Answer) bool
	// Accepted also explains answers accepted by upstream when restricted to karpenter's devices.
	Accepted bool
}

// several is for a combination of reasons.
const several = "several"

// Reasons are the known gaps of karpenter v1.15.0.
func Reasons() []Reason {
	return []Reason{
		{
			Name: "an error for the pod",
			Why: "the scheduler ends the attempt for the pod, on all nodes (a selector that fails for a device: API, CELDeviceSelector; " +
				"a constraint that a request for all devices does not meet); karpenter takes the device for one that does not match, and goes on",
			Is: func(own, upstream, _ difftest.Answer) bool {
				return own.Kind == difftest.PodError && upstream.Kind == difftest.PodError
			},
			Accepted: true,
		},
		{
			Name:    "taints",
			Why:     "karpenter takes no notice of taints of devices (KEP-5055): a device is there for everybody",
			Without: eachDevice(func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) { d.Taints = nil }),
		},
		{
			Name:    "fields of a node selector",
			Why:     "karpenter reads matchExpressions only: a slice that names its node by matchFields is for all nodes",
			Without: eachSlice(ignoreFields),
		},
		{
			Name:    "several terms of a node selector",
			Why:     "karpenter takes a slice whose selector has several terms; the scheduler wants exactly one (API, ResourceSliceSpec)",
			Without: eachSlice(firstTerm),
		},
		{
			Name:    "compatibility groups",
			Why:     "karpenter takes no notice of compatibility groups of partitions (alpha); where they are off, a scheduler ignores slices that have them",
			Without: eachDevice(anyCompany),
		},
		{
			Name:    "two devices of one name",
			Why:     "karpenter does not look whether what it expects of a new node makes valid pools: two devices of one name make it invalid (API, ResourceSliceSpec)",
			Without: dropNamesakes,
		},
		{
			Name:    "capacity of a device for one claim",
			Why:     "karpenter compares what a request wants of a device's capacity only where several may share the device (API, CapacityRequirements: it is a condition like a selector)",
			Without: plentyOfCapacity,
		},
		{
			Name:    "counters that are overdrawn",
			Why:     "where more of a counter is in use than there is, the scheduler gives none of the pool's partitions any more; karpenter looks only at the counters of the partition",
			Without: coverCounters,
		},
		{
			Name:    "slices that disagree about their number",
			Why:     "karpenter believes the first slice that it sees; we take such a pool for incomplete (as upstream mostly does)",
			Without: agreeOnCounts, Accepted: true,
		},
		{
			Name:    "two shares of one claim",
			Why:     "karpenter's controller keeps one result per device of a claim: a claim with two shares of a device counts as one",
			Without: lastShareOnly,
		},
		{
			Name:    "fractions in steps of a range",
			Why:     "karpenter rounds to whole numbers; the scheduler has fractions (feature gate DRAFractionalCapacityRange)",
			Without: func(p *problem.Problem) { p.Off = append(p.Off, "FractionalCapacityRange") },
		},
		{
			Name: "a device more than once for a request",
			Why:  "a request for several devices gets the same shared device more than once from karpenter, and never from the scheduler",
			Is:   func(_, _, karpenter difftest.Answer) bool { return repeats(karpenter) },
		},
	}
}

// repeats reports whether a request has a device more than once.
func repeats(answer difftest.Answer) bool {
	type use struct {
		claim                         int
		request, driver, pool, device string
	}
	seen := map[use]bool{}
	for i := range answer.Allocations {
		for _, r := range answer.Allocations[i].Devices.Results {
			u := use{i, r.Request, r.Driver, r.Pool, r.Device}
			if seen[u] {
				return true
			}
			seen[u] = true
		}
	}
	return false
}
