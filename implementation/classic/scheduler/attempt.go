package scheduler

import (
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classicplan"
)

const attemptKey fwk.StateKey = Name

// attempt is one attempt to schedule a pod with classic claims, from PreFilter to the end
// of PostBind or Unreserve. It is kept in the CycleState.
type attempt struct {
	claims []*podClaim
	places []classicplan.Place // of the claims
	// negotiation is that of the moment when the attempt began; it has no fitting nodes.
	negotiation classicplan.Negotiation
	// since is how often classes had changed when the attempt began.
	since int
	// focus are the only nodes that are looked at, nil for all.
	focus sets.Set[string]
	// excluded are nodes that do not fit whatever the claims' places are.
	excluded sets.Set[string]
	// blocked says that a claim is in use by others, or being deallocated.
	blocked bool
	// rejected says that the pod was rejected before nodes were looked at.
	rejected bool

	// fitting are the nodes that passed all filters, if there were several.
	fitting []string
	// selected is for how many other pods, which wait for drivers, a node is selected.
	selected map[string]int64
	// reserved are the claims that PreBind reserved for the pod.
	reserved []*resourceapi.ResourceClaim

	mu sync.Mutex
	// stuck are the indices of claims that are elsewhere than a node on which the pod fits.
	stuck sets.Set[int]
}

// Clone returns the same attempt: nothing in it depends on other pods of the node.
func (a *attempt) Clone() fwk.StateData { return a }

func (a *attempt) markStuck(indices []int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stuck == nil {
		a.stuck = sets.New[int]()
	}
	a.stuck.Insert(indices...)
}

// attemptOf returns nil for a pod without classic claims.
func attemptOf(cycle fwk.CycleState) *attempt {
	data, err := cycle.Read(attemptKey)
	if err != nil {
		return nil
	}
	a, _ := data.(*attempt)
	return a
}
