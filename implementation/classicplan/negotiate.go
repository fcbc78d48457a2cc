package classicplan

import (
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// Negotiation is what a scheduler knows when a pod fits some nodes otherwise.
type Negotiation struct {
	// Scheduling is nil if there is none yet.
	Scheduling *v1alpha1.PodScheduling
	// Pending are the names, in the pod's spec, of the claims that wait for their first
	// consumer and are not allocated.
	Pending []string
	// Fitting are the nodes on which the pod fits otherwise, the best ones first. Nodes
	// that are unsuitable by the answers in Scheduling may be among them.
	Fitting []string
	// Rejected are the nodes that earlier rounds of this negotiation found unsuitable, as
	// Ask returned them. It may be lost: then nodes are asked for again.
	Rejected sets.Set[string]
}

// Move is what a scheduler does next. The set is closed: Bind, Ask, Await and GiveUp.
type Move interface{ move() }

// Bind goes on with scheduling: all claims are allocated.
type Bind struct{}

// Ask writes the spec of the PodScheduling, and waits for a change of its status.
type Ask struct {
	Spec v1alpha1.PodSchedulingSpec
	// Rejected takes the place of the negotiation's.
	Rejected sets.Set[string]
}

// Await waits for drivers: for their answers, or for allocations.
type Await struct{ Why string }

// GiveUp ends the negotiation until something changes: no node suits all drivers. The
// next one begins without rejected nodes.
type GiveUp struct{ Why string }

func (Bind) move()   {}
func (Ask) move()    {}
func (Await) move()  {}
func (GiveUp) move() {}

// Negotiate returns the scheduler's next move.
//
// Each Ask after an answer either selects a node that all drivers have called suitable,
// or leaves for good at least one that some driver has not, so that a negotiation about
// n nodes has at most 2n+1 rounds, and n/128+2 unless drivers change their minds. A pod
// with one pending claim has a node selected at once, since nobody else has to agree.
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

// Awaiting says what drivers have to do next, and is empty if it is the scheduler's turn:
// nobody was asked, all have answered, or one refuses the selected node. For as long as
// drivers have to, another attempt to schedule the pod achieves nothing, if the nodes that
// they are asked about fit.
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

// ask returns the question about the best nodes that are left.
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

// Unsuitable returns the nodes on which some driver cannot allocate one of these claims, by
// answers to what the scheduler asks now: see Refused.
func Unsuitable(scheduling *v1alpha1.PodScheduling, pending []string) sets.Set[string] {
	nodes := sets.New[string]()
	for _, claim := range scheduling.Status.ResourceClaims {
		if counts(scheduling, claim, pending) {
			nodes.Insert(claim.UnsuitableNodes...)
		}
	}
	return nodes
}
