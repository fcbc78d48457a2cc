package claimplan

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

// PlanClaim says what has to go because nobody uses it any more: reservations, then
// the allocation with its finalizer, then the claim itself if it was made for a pod.
// Consumers other than pods are left alone, they are not known here.
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

// claimPlan is a plan in the making.
type claimPlan struct {
	ClaimView
	actions []Action
	dropped []Dropped
	// unsure are the names of pods that have to be looked up.
	unsure sets.Set[string]
	// obsolete says why the pod that the claim was made for does not need it.
	obsolete string
}

// check finds the reservations that are to be dropped.
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

// checkOwner finds out whether the claim was made for a pod that does not need it.
// If the cache does not know a pod of that name, the garbage collector will do the
// work: no look-up is spent on it.
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

// free says whether nobody is left that the claim is reserved for.
func (p *claimPlan) free() bool {
	return len(p.dropped) == len(p.Claim.Status.ReservedFor)
}

// release drops reservations. With the last one the allocation goes, so that the
// next user of the claim is not tied to the node of the previous one.
//
// It is the step from used to unused that counts: a claim that is allocated without
// being reserved may be about to be reserved by whoever has allocated it, and one
// with a finalizer only is about to be allocated. Once it is being deleted, there
// will be no next user.
//
// An allocation without the finalizer was not made by a scheduler with structured
// parameters. It is not ours to clear.
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

// delete deletes a claim that was made for a pod that is done: the pod object may
// stay for a long time, and the garbage collector waits for that.
func (p *claimPlan) delete() {
	if p.obsolete != "" && p.Claim.DeletionTimestamp == nil {
		p.actions = append(p.actions, DeleteClaim{Claim: refOf(p.Claim), Why: p.obsolete})
	}
}
