// Package claimplan decides what the controller of ResourceClaims has to do: which
// claims to create for a pod, and which reservations, allocations and claims nobody
// needs any more.
//
// A work item is a pod or a claim. The controller collects what it knows of it in a
// PodView or ClaimView, calls PlanPod or PlanClaim and does the actions in order:
//
//   - a Verify action asks for a live look-up. Put the answer into the view and plan
//     again; nothing else is planned until then.
//   - CreateClaim is done by creating the claim. Put the answer into the view and
//     plan again, once all have been created.
//   - actions that change a claim have an Apply method: give it the claim as it is
//     known (from the second action on: as the API server returned it), send the
//     result. A conflict or another error ends the work item, it is tried again.
//   - Fail says what went wrong and whether to try again by itself.
//
// Planning from old objects is harmless: writes carry the resourceVersion or the
// UID of what was planned for, and a claim that was made for a pod that is gone is
// garbage that Kubernetes collects. Start at PlanPod and PlanClaim.
package claimplan
