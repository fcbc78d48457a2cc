package classicplan

import (
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Focus returns the nodes that an attempt to schedule the pod is limited to, nil for no
// limit: the selected node, or those that drivers are asked about. A scheduler that looks
// at a sample of the nodes would else see others each time and never come to an end.
func (n Negotiation) Focus() sets.Set[string] {
	if len(n.Pending) == 0 || n.Scheduling == nil {
		return nil
	}
	selected := n.Scheduling.Spec.SelectedNode
	if selected != "" && !Refused(n.Scheduling, n.Pending) && !n.Rejected.Has(selected) {
		return sets.New(selected)
	}
	focus := sets.New(ToCheck(n.Scheduling)...).Difference(Unsuitable(n.Scheduling, n.Pending)).Difference(n.Rejected)
	if len(focus) == 0 {
		return nil
	}
	return focus
}

// Excluded returns the nodes for which some driver cannot allocate, or which were found
// not to fit while drivers were asked about them.
func (n Negotiation) Excluded() sets.Set[string] {
	if len(n.Pending) == 0 || n.Scheduling == nil {
		return nil
	}
	return n.Rejected.Union(Unsuitable(n.Scheduling, n.Pending))
}

// Unfit is what a scheduler knows when a pod fits no node.
type Unfit struct {
	// Negotiation has no fitting nodes.
	Negotiation
	// Focus is what the attempt was limited to.
	Focus sets.Set[string]
	// Stuck are the claims that kept the pod from nodes, as Fits found them.
	Stuck []Stuck
	// Allocated are all claims of the pod that are allocated.
	Allocated []Stuck
	// Blocked says that a claim cannot be used at present, on whichever node.
	Blocked bool
}

// Recovery is what a scheduler does for a pod that fits no node. The set is closed:
// Release, Widen, Free, Yield and Rest.
type Recovery interface{ recovery() }

// Release takes the pod's reservations off its claims: another pod may need them, and
// have what this one waits for.
type Release struct{}

// Widen tries again without waiting for anything to happen, and without the nodes of the
// focus. A queue may impose a back-off.
type Widen struct{ Rejected sets.Set[string] }

// Free requests the deallocation of a claim, by its index. With Withdraw the selected node
// is taken back first, so that its driver does not allocate it for that again.
type Free struct {
	Claim    int
	Withdraw bool
}

// Yield requests the deallocation of a claim that the pod has, by its index among those that
// are allocated. Its drivers have nothing for its other claims: pods that have one claim
// each and wait for another one would have all there is, and wait for each other for ever.
type Yield struct{ Claim int }

// noneSuits says whether drivers have answered that none of the nodes that they were asked
// about suits them.
func (u *Unfit) noneSuits() bool {
	nodes := ToCheck(u.Scheduling)
	return len(nodes) > 0 && Unsuitable(u.Scheduling, u.Pending).HasAll(nodes...)
}

// Rest waits until something changes. With Withdraw the selected node is taken back
// first: the pod does not fit it any more. What was rejected is forgotten; Beyond says
// that there were nodes that drivers are not asked about now, and so do not tell of.
type Rest struct{ Withdraw, Beyond bool }

func (Release) recovery() {}
func (Widen) recovery()   {}
func (Free) recovery()    {}
func (Yield) recovery()   {}
func (Rest) recovery()    {}

// Recover returns what to do for a pod that fits no node. Widen follows Widen only after
// nodes were asked about that no Widen had: each leaves out at least one node until Rest.
func Recover(u Unfit, pod types.UID, random *rand.Rand) Recovery {
	selected := u.Scheduling != nil && u.Scheduling.Spec.SelectedNode != ""
	if u.Blocked {
		return Release{}
	}
	if len(u.Focus) > 0 {
		return Widen{u.Excluded().Union(u.Focus)}
	}
	if i := Deallocation(u.Stuck, pod, random); i >= 0 {
		return Free{i, selected}
	}
	if len(u.Pending) == 0 || u.Scheduling == nil {
		return Rest{}
	}
	if u.noneSuits() {
		if i := Deallocation(u.Allocated, pod, random); i >= 0 {
			return Yield{i}
		}
	}
	return Rest{
		Withdraw: selected && !Refused(u.Scheduling, u.Pending),
		Beyond:   len(u.Rejected.Difference(sets.New(ToCheck(u.Scheduling)...))) > 0,
	}
}
