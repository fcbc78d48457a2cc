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
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/oracle"
	"github.com/dra-conformance/dratest/implementation/inventory"
)

// Opinions counts the oracle's verdicts.
type Opinions struct {
	// Judged counts nodes with an answer of this project, Undecided those with an undecided
	// question.
	Judged, Undecided int
	// Known counts nodes by known violation.
	Known map[string]int
	// Refuted counts nodes with an intended difference and an upstream answer refuted by the
	// oracle.
	Refuted int
}

func (o *Opinions) add(other Opinions) {
	o.Judged += other.Judged
	o.Undecided += other.Undecided
	o.Refuted += other.Refuted
	for name, n := range other.Known {
		o.know(name, n)
	}
}

func (o *Opinions) know(name string, n int) {
	if o.Known == nil {
		o.Known = map[string]int{}
	}
	o.Known[name] += n
}

// KnownViolation is a promise of the API broken by both allocators.
type KnownViolation struct {
	Name, Reason string
	// AtMost is the maximum per 1000 problems.
	AtMost float64
	// Is reports whether a violation in the answer for a node is a known one.
	Is func(*problem.Problem, problem.Node, Answer, oracle.Violation) bool
}

// KnownViolations lists them; keep it short.
func KnownViolations() []KnownViolation {
	return []KnownViolation{
		{
			Name:   "devices of one name on different nodes",
			AtMost: 0.1,
			Reason: "Both allocators look for devices of the same name only among the slices for a node, not in the whole pool " +
				"(Device.Name; KEP-4815, Validation moved from admission to runtime).",
			Is: func(p *problem.Problem, node problem.Node, _ Answer, v oracle.Violation) bool {
				if v.Promise != "kep-4381/device-names-unique-in-pool" && (v.Promise != "kep-4381/incomplete-pool-waits" || !repeatsInPool(p)) {
					return false
				}
				return !slices.ContainsFunc(p.Slices, func(s resourceapi.ResourceSlice) bool {
					return ptr.Deref(s.Spec.NodeName, node.Name) == node.Name && repeatsName(s)
				})
			},
		},
	}
}

// repeatsName reports whether a slice has two devices of the same name.
func repeatsName(s resourceapi.ResourceSlice) bool {
	names := map[string]bool{}
	for i := range s.Spec.Devices {
		names[s.Spec.Devices[i].Name] = true
	}
	return len(names) < len(s.Spec.Devices)
}

// repeatsInPool reports whether a pool has two devices of the same name.
func repeatsInPool(p *problem.Problem) bool {
	names := map[inventory.DeviceID]bool{}
	for id := range devicesIn(p) {
		if names[id] {
			return true
		}
		names[id] = true
	}
	return false
}

// ask returns the first of this project's answers refuted by the oracle, except for known
// violations.
func ask(p *problem.Problem, own, upstream []Answer, meant *Meant, count *Opinions) *Difference {
	for node := range own {
		verdict, ok := opinion(p, node, own[node])
		if !ok {
			continue
		}
		count.Judged++
		if len(verdict.Undecided) > 0 {
			count.Undecided++
		}
		names := map[string]bool{}
		for _, v := range verdict.Violations {
			name := nameOf(p, node, own[node], v)
			if name == "" {
				return &Difference{Node: node, What: "oracle: own: " + own[node].Kind.String() + ", " + v.Promise, Own: own[node], Upstream: upstream[node], Oracle: v.String()}
			}
			names[name] = true
		}
		for name := range names {
			count.know(name, 1)
		}
		if meant != nil {
			if other, ok := opinion(p, node, upstream[node]); ok && len(other.Violations) > len(verdict.Violations) {
				count.Refuted++
			}
		}
	}
	return nil
}

func nameOf(p *problem.Problem, node int, a Answer, v oracle.Violation) string {
	for _, known := range KnownViolations() {
		if known.Is(p, p.Nodes[node], a, v) {
			return known.Name
		}
	}
	return ""
}

// opinion judges an answer, if any: an allocation as if the pod were running, a rejection as if it
// were pending in a cluster with only this node.
func opinion(p *problem.Problem, node int, a Answer) (oracle.Verdict, bool) {
	if a.Kind == TooSlow || a.Kind == Crash {
		return oracle.Verdict{}, false
	}
	judged, outcome := outcomeOf(p, node, a)
	return oracle.Judge(judged, outcome), true
}

func outcomeOf(p *problem.Problem, node int, a Answer) (*problem.Problem, oracle.Outcome) {
	pod := oracle.Pod{Namespace: "default", Name: "pod", UID: "pod"}
	var outcome oracle.Outcome
	judged := *p
	if a.Kind == Fits {
		pod.Node = p.Nodes[node].Name
	} else {
		judged.Nodes = p.Nodes[node : node+1]
	}
	for i := range p.Claims {
		claim := p.Claims[i].DeepCopy()
		pod.Claims = append(pod.Claims, claim.Name)
		if a.Kind == Fits {
			claim.Status.Allocation = &a.Allocations[i]
			claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: pod.Name, UID: pod.UID}}
		}
		outcome.Claims = append(outcome.Claims, *claim)
	}
	outcome.Pods = []oracle.Pod{pod}
	return &judged, outcome
}
