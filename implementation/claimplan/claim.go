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

package claimplan

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

// PlanClaim plans the cleanup of a claim: unused reservations, then the allocation with its
// finalizer, then the claim itself if it was generated for a pod. It leaves consumers other than
// pods alone.
func PlanClaim(view ClaimView) []Action {
	plan := claimPlan{ClaimView: view, unsure: sets.New[string]()}
	plan.check()
	plan.checkOwner()
	if len(plan.unsure) > 0 {
		var actions []Action
		for _, name := range sets.List(plan.unsure) {
			actions = append(actions, VerifyPod{Namespace: view.Claim.Namespace, Name: name})
		}
		return actions
	}
	plan.release()
	plan.delete()
	return plan.actions
}

type claimPlan struct {
	ClaimView
	actions []Action
	dropped []Dropped
	// unsure are the names of pods to look up.
	unsure sets.Set[string]
	// obsolete is why the owning pod does not need the claim.
	obsolete string
}

func (p *claimPlan) check() {
	for _, consumer := range p.Claim.Status.ReservedFor {
		if !isPod(consumer) {
			continue
		}
		fate, why := p.fate(Ref{Namespace: p.Claim.Namespace, Name: consumer.Name, UID: consumer.UID})
		switch fate {
		case drop:
			p.dropped = append(p.dropped, Dropped{Consumer: consumer, Why: why})
		case unknown:
			p.unsure.Insert(consumer.Name)
		}
	}
}

// checkOwner checks whether the claim's owning pod still needs it. If the cache has no pod of the
// name, the garbage collector deletes the claim: no lookup needed.
func (p *claimPlan) checkOwner() {
	owner, ok := OwningPod(p.Claim)
	if !ok || !p.free() {
		return
	}
	live, verified := p.Live[owner.Name]
	if live == nil && (verified || p.Pods[owner.Name] == nil) {
		return
	}
	fate, why := p.fate(owner)
	switch fate {
	case drop:
		p.obsolete = why
	case unknown:
		p.unsure.Insert(owner.Name)
	}
}

// free reports whether no reservation is left.
func (p *claimPlan) free() bool {
	return len(p.dropped) == len(p.Claim.Status.ReservedFor)
}

// release drops reservations. The allocation goes with the last one, so the claim's next user is
// not tied to the previous node.
//
// Only the transition from used to unused deallocates: an allocated claim without reservations may
// be about to be reserved by the scheduler, and one with only a finalizer is about to be allocated.
// A claim being deleted has no next user.
//
// An allocation without the finalizer was not made by a scheduler with structured parameters. It is
// not ours to clear.
func (p *claimPlan) release() {
	protected := slices.Contains(p.Claim.Finalizers, resourceapi.Finalizer)
	deleting := p.Claim.DeletionTimestamp != nil
	clear := protected && p.free() && (deleting || len(p.dropped) > 0)
	deallocate := clear && p.Claim.Status.Allocation != nil
	if len(p.dropped) > 0 || deallocate {
		p.actions = append(p.actions, Release{Claim: refOf(p.Claim), Dropped: p.dropped, Deallocate: deallocate})
	}
	if clear {
		p.actions = append(p.actions, RemoveFinalizer{Claim: refOf(p.Claim)})
	}
}

// delete deletes a claim generated for a finished pod: the pod object may stay for a long time, and
// the garbage collector waits for its deletion.
func (p *claimPlan) delete() {
	if p.obsolete != "" && p.Claim.DeletionTimestamp == nil {
		p.actions = append(p.actions, DeleteClaim{Claim: refOf(p.Claim), Why: p.obsolete})
	}
}
