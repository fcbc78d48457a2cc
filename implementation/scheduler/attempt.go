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

// attempt is one attempt to schedule a pod, from PreFilter to the end of PreBind
// or Unreserve. It is kept in the CycleState.
type attempt struct {
	// claims of the pod's spec, followed by the special claim if extended is set.
	claims []*claimAttempt
	// pending are the indices of the claims of the spec that have no allocation.
	pending []int
	// demand is what the pending claims ask for; nil if there are none.
	demand *demand
	// extended is set if the pod has extended resources that a class serves.
	extended *extendedDemand
	// preferences are scored; see score.go.
	preferences preferences

	// The devices and their use do not change during an attempt.
	inventory *inventory.Inventory
	used      *state.Snapshot

	mu sync.Mutex
	// fits are the nodes that passed Filter and have something to allocate, index is
	// where they are; it is made when the first one is asked for.
	fits  []nodeFit
	index map[string]int
	// unavailable are the indices of allocated claims that a node does not have or
	// that cannot be bound; PostFilter may take one of them back.
	unavailable sets.Set[int]
	// reasons are the rendered reasons: on many nodes it is the same one.
	reasons map[allocator.Reason]string
}

// claimAttempt is a claim and what becomes of it.
type claimAttempt struct {
	// claim is read only; it is replaced when the plugin writes it.
	claim *resourceapi.ResourceClaim
	// nodes are where the claim's allocation can be used; nil means everywhere.
	nodes *nodeaffinity.NodeSelector
	// failed: the claim is allocated and its binding conditions failed or took too
	// long, or one of its devices is tainted.
	failed bool
	// reserved is the claim with the allocation that Reserve chose; nil if the
	// claim was allocated before or not reserved yet.
	reserved *resourceapi.ResourceClaim
	// signaled: the DRA manager knows that the allocation is pending.
	signaled bool
	// written: the API server has the allocation.
	written bool
}

// nodeFit says that an allocation is possible on a node.
type nodeFit struct {
	node *inventory.Node
	// result is the allocation, not rendered yet; nil if the answer for a pod of the
	// same kind was taken. Only the node that is chosen needs it then.
	result *allocator.Result
	// distance is the sum of how far the devices are from the node.
	distance int
	// variant is nil if the node serves no extended resources of the pod by DRA.
	variant *variant
}

// Clone returns the same attempt: nothing in it depends on other pods of the node.
func (a *attempt) Clone() fwk.StateData { return a }

// special returns the special claim for extended resources, nil if there is none.
func (a *attempt) special() *claimAttempt {
	if a.extended == nil {
		return nil
	}
	return a.claims[len(a.claims)-1]
}

// named returns the claims that the pod's spec names.
func (a *attempt) named() []*claimAttempt {
	if a.extended == nil {
		return a.claims
	}
	return a.claims[:len(a.claims)-1]
}

// demandFor returns what a node must have that serves the extended resources of a
// variant, nil for none.
func (a *attempt) demandFor(v *variant) *demand {
	if v == nil {
		return a.demand
	}
	return v.demand
}

// empty says that the plugin has nothing to do for the pod.
func (a *attempt) empty() bool { return len(a.claims) == 0 }

// keep stores the outcome of Filter. Filter runs for several nodes at a time.
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

// explain says why a node does not fit. Each reason is rendered once.
func (a *attempt) explain(reason allocator.Reason) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	text, ok := a.reasons[reason]
	if !ok {
		text = "cannot allocate all claims: " + reason.String()
		if a.reasons == nil {
			a.reasons = make(map[allocator.Reason]string)
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
