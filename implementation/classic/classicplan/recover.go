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
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Focus returns the nodes for an attempt to schedule the pod, nil for no limit: the selected node,
// or the requested ones. Otherwise a scheduler sampling nodes would see others each time and never
// finish.
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

// Excluded returns the nodes where some driver cannot allocate, and those found unsuitable while
// drivers were asked about them.
func (n Negotiation) Excluded() sets.Set[string] {
	if len(n.Pending) == 0 || n.Scheduling == nil {
		return nil
	}
	return n.Rejected.Union(Unsuitable(n.Scheduling, n.Pending))
}

// Unfit is a scheduler's knowledge when a pod fits no node.
type Unfit struct {
	// Negotiation has no fitting nodes.
	Negotiation
	// Focus is the limit of the attempt.
	Focus sets.Set[string]
	// Stuck are the claims that excluded nodes, from Fits.
	Stuck []Stuck
	// Allocated are all allocated claims of the pod.
	Allocated []Stuck
	// Blocked is set if a claim is currently unusable on any node.
	Blocked bool
}

// Recovery is a scheduler's action for a pod that fits no node. The set is closed: Release, Widen,
// Free, Yield and Rest.
type Recovery interface{ recovery() }

// Release removes the pod's reservations from its claims: another pod may need them while holding
// what this pod waits for.
type Release struct{}

// Widen retries immediately, without the nodes of the focus. A queue may impose a backoff.
type Widen struct{ Rejected sets.Set[string] }

// Free requests the deallocation of a claim, by its index. With Withdraw the selected node is
// cleared first, so its driver does not allocate it there again.
type Free struct {
	Claim    int
	Withdraw bool
}

// Yield requests the deallocation of one of the pod's allocated claims, by its index among them.
// The drivers have nothing for its other claims: pods holding one claim each while waiting for
// another could take all resources and deadlock.
type Yield struct{ Claim int }

// noneSuits reports whether drivers have rejected all requested nodes.
func (u *Unfit) noneSuits() bool {
	nodes := ToCheck(u.Scheduling)
	return len(nodes) > 0 && Unsuitable(u.Scheduling, u.Pending).HasAll(nodes...)
}

// Rest waits for a change. With Withdraw the selected node is cleared first: it no longer fits the
// pod. Rejected nodes are forgotten; Beyond is set if there were nodes not covered by the current
// request, for which drivers report nothing.
type Rest struct{ Withdraw, Beyond bool }

func (Release) recovery() {}
func (Widen) recovery()   {}
func (Free) recovery()    {}
func (Yield) recovery()   {}
func (Rest) recovery()    {}

// Recover returns the action for a pod that fits no node. Each Widen until Rest excludes at least
// one more node, so Widen cannot repeat forever.
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
