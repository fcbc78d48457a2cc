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
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
)

const attemptKey fwk.StateKey = Name

// attempt is one attempt to schedule a pod with classic claims, from PreFilter to the end of
// PostBind or Unreserve. It is stored in the CycleState.
type attempt struct {
	claims []*podClaim
	places []classicplan.Place // of the claims
	// negotiation is from the start of the attempt; it has no fitting nodes.
	negotiation classicplan.Negotiation
	// since is the class change counter at the start of the attempt.
	since int
	// focus limits the attempt to these nodes, nil for all.
	focus sets.Set[string]
	// excluded are nodes unsuitable regardless of the claims' places.
	excluded sets.Set[string]
	// blocked is set if a claim is in use by others or being deallocated.
	blocked bool
	// rejected is set if the pod was rejected before filtering nodes.
	rejected bool

	// fitting are the nodes that passed all filters, if there were several.
	fitting []string
	// selected counts other pods waiting for drivers by selected node.
	selected map[string]int64
	// reserved are the claims reserved for the pod by PreBind.
	reserved []*resourceapi.ResourceClaim

	mu sync.Mutex
	// stuck are the indices of claims allocated away from a node that otherwise fits.
	stuck sets.Set[int]
}

// Clone returns the same attempt: it does not depend on other pods of the node.
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
