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

package classicplan

import (
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// Negotiation is a scheduler's knowledge when a pod otherwise fits some nodes.
type Negotiation struct {
	// Scheduling is nil if there is none yet.
	Scheduling *v1alpha1.PodScheduling
	// Pending are the names, in the pod's spec, of unallocated claims waiting for their first
	// consumer.
	Pending []string
	// Fitting are the nodes where the pod otherwise fits, best first. They may include nodes
	// reported as unsuitable in Scheduling.
	Fitting []string
	// Rejected are the nodes found unsuitable in earlier rounds of this negotiation, from Ask. If
	// lost, nodes are requested again.
	Rejected sets.Set[string]
}

// Move is the scheduler's next action. The set is closed: Bind, Ask, Await and GiveUp.
type Move interface{ move() }

// Bind continues scheduling: all claims are allocated.
type Bind struct{}

// Ask writes the spec of the PodScheduling, and waits for a change of its status.
type Ask struct {
	Spec v1alpha1.PodSchedulingSpec
	// Rejected replaces the negotiation's.
	Rejected sets.Set[string]
}

// Await waits for drivers: for their answers, or for allocations.
type Await struct{ Why string }

// GiveUp ends the negotiation until something changes: no node suits all drivers. The next one
// begins without rejected nodes.
type GiveUp struct{ Why string }

func (Bind) move()   {}
func (Ask) move()    {}
func (Await) move()  {}
func (GiveUp) move() {}

// Negotiate returns the scheduler's next move.
//
// Each Ask after an answer either selects a node suitable for all drivers, or permanently excludes
// at least one unsuitable node. So a negotiation about n nodes has at most 2n+1 rounds, and n/128+2
// unless drivers change their minds. For a pod with one pending claim, a node is selected at once,
// because no other driver has to agree.
func Negotiate(n Negotiation) Move {
	if len(n.Pending) == 0 {
		return Bind{}
	}
	if n.Scheduling == nil {
		return n.ask(n.Rejected)
	}
	spec := &n.Scheduling.Spec
	answered := Answered(n.Scheduling, n.Pending)
	asked := sets.New(ToCheck(n.Scheduling)...)
	if spec.SelectedNode != "" {
		asked = sets.New(spec.SelectedNode)
	}
	if why := Awaiting(n.Scheduling, n.Pending); why != "" && asked.Difference(n.Rejected).HasAny(n.Fitting...) {
		return Await{why}
	}
	asked = sets.New(ToCheck(n.Scheduling)...)
	rejected := n.Rejected.Union(Unsuitable(n.Scheduling, n.Pending))
	if answered {
		for _, node := range n.Fitting {
			if asked.Has(node) && !rejected.Has(node) {
				return Ask{v1alpha1.PodSchedulingSpec{SelectedNode: node, PotentialNodes: spec.PotentialNodes}, rejected}
			}
		}
	}
	return n.ask(rejected)
}

// Awaiting returns what drivers have to do next, and is empty if it is the scheduler's turn: there
// was no request, all have answered, or one rejects the selected node. During the drivers' turn,
// another attempt to schedule the pod achieves nothing, if the requested nodes fit.
func Awaiting(scheduling *v1alpha1.PodScheduling, pending []string) string {
	switch {
	case scheduling == nil || len(pending) == 0:
		return ""
	case scheduling.Spec.SelectedNode != "":
		if Refused(scheduling, pending) {
			return ""
		}
		return "drivers allocate for node " + scheduling.Spec.SelectedNode
	case len(ToCheck(scheduling)) > 0 && !Answered(scheduling, pending):
		return "drivers check which nodes are suitable"
	default:
		return ""
	}
}

// ask returns the request for the best remaining nodes.
func (n Negotiation) ask(rejected sets.Set[string]) Move {
	var left []string
	for _, node := range n.Fitting {
		if !rejected.Has(node) && len(left) < v1alpha1.MaxNodes {
			left = append(left, node)
		}
	}
	if len(left) == 0 {
		return GiveUp{"no node suits the drivers of all claims"}
	}
	spec := v1alpha1.PodSchedulingSpec{PotentialNodes: left}
	if len(n.Pending) == 1 {
		spec.SelectedNode = left[0]
	}
	return Ask{spec, rejected}
}

// Unsuitable returns the nodes where some driver cannot allocate one of these claims, from answers
// to the scheduler's current request: see Refused.
func Unsuitable(scheduling *v1alpha1.PodScheduling, pending []string) sets.Set[string] {
	nodes := sets.New[string]()
	for _, claim := range scheduling.Status.ResourceClaims {
		if counts(scheduling, claim, pending) {
			nodes.Insert(claim.UnsuitableNodes...)
		}
	}
	return nodes
}
