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

package scheduler

import (
	"errors"
	"fmt"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/allocator"
	"github.com/dra-conformance/dratest/implementation/inventory"
	"github.com/dra-conformance/dratest/implementation/state"
)

const attemptKey fwk.StateKey = Name

// attempt is one attempt to schedule a pod, from PreFilter to the end of PreBind or Unreserve. It is
// kept in the CycleState.
type attempt struct {
	// claims of the pod's spec, followed by the special claim if extended is set.
	claims []*claimAttempt
	// pending are the indices of the spec's claims without allocation.
	pending []int
	// demand of the pending claims; nil if there are none.
	demand *demand
	// extended is set if a class serves an extended resource of the pod.
	extended *extendedDemand
	// preferences are scored; see score.go.
	preferences preferences

	// The devices and their use are fixed for an attempt.
	inventory *inventory.Inventory
	used      *state.Snapshot

	mu sync.Mutex
	// fits are the nodes with an allocation after Filter; index is their position, built on first use.
	fits  []nodeFit
	index map[string]int
	// unavailable are the indices of allocated claims unavailable on a node or not bindable. PostFilter
	// may deallocate one.
	unavailable sets.Set[int]
	// reasons caches rendered reasons: many nodes share one.
	reasons map[allocator.Summary]string
}

// claimAttempt is the state of a claim in an attempt.
type claimAttempt struct {
	// claim is read only; it is replaced after a write.
	claim *resourceapi.ResourceClaim
	// nodes limits the use of the claim's allocation; nil means everywhere.
	nodes *nodeaffinity.NodeSelector
	// failed: the claim is allocated, but its binding conditions failed or timed out, or one of its
	// devices is tainted.
	failed bool
	// reserved is the claim with Reserve's allocation; nil if it was allocated before or is not reserved
	// yet.
	reserved *resourceapi.ResourceClaim
	// signaled: the DRA manager has the pending allocation.
	signaled bool
	// written: the API server has the allocation.
	written bool
}

// nodeFit is a possible allocation on a node.
type nodeFit struct {
	node *inventory.Node
	// result is the unrendered allocation; nil if the answer was cached. Only the chosen node needs it.
	result *allocator.Result
	// distance is the sum of the devices' distances from the node.
	distance int
	// variant is nil if DRA serves no extended resource of the pod on the node.
	variant *variant
}

// Clone returns the same attempt: it is independent of other pods on the node.
func (a *attempt) Clone() fwk.StateData { return a }

// special returns the special claim for extended resources, nil if there is none.
func (a *attempt) special() *claimAttempt {
	if a.extended == nil {
		return nil
	}
	return a.claims[len(a.claims)-1]
}

// named returns the claims of the pod's spec.
func (a *attempt) named() []*claimAttempt {
	if a.extended == nil {
		return a.claims
	}
	return a.claims[:len(a.claims)-1]
}

// demandFor returns the demand on a node with a variant of extended resources, nil for none.
func (a *attempt) demandFor(v *variant) *demand {
	if v == nil {
		return a.demand
	}
	return v.demand
}

// empty reports whether the plugin has nothing to do for the pod.
func (a *attempt) empty() bool { return len(a.claims) == 0 }

// keep stores the outcome of Filter, called for several nodes concurrently.
func (a *attempt) keep(fit nodeFit) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.index != nil {
		a.index[fit.node.Name] = len(a.fits)
	}
	a.fits = append(a.fits, fit)
}

func (a *attempt) fitOn(node string) (nodeFit, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.index == nil {
		a.index = make(map[string]int, len(a.fits))
		for i := range a.fits {
			a.index[a.fits[i].node.Name] = i
		}
	}
	i, ok := a.index[node]
	if !ok {
		return nodeFit{}, false
	}
	return a.fits[i], true
}

func (a *attempt) markUnavailable(indices []int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.unavailable == nil {
		a.unavailable = sets.New[int]()
	}
	a.unavailable.Insert(indices...)
}

// explain renders a reason once. Its text is the same for all nodes failing alike.
func (a *attempt) explain(reason allocator.Summary) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	text, ok := a.reasons[reason]
	if !ok {
		text = "cannot allocate all claims: " + reason.String()
		if a.reasons == nil {
			a.reasons = make(map[allocator.Summary]string)
		}
		a.reasons[reason] = text
	}
	return text
}

func attemptOf(cycle fwk.CycleState) (*attempt, error) {
	data, err := cycle.Read(attemptKey)
	if err != nil {
		return nil, fmt.Errorf("read state of plugin %s: %w", Name, err)
	}
	a, ok := data.(*attempt)
	if !ok {
		return nil, errors.New("unable to convert state into *attempt")
	}
	return a, nil
}
