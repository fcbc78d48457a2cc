// Package claimplan decides what the ResourceClaim controller does: which claims to
// create for a pod, and which reservations, allocations and claims to remove.
//
// A work item is a pod or a claim. The controller collects the known state in a
// PodView or ClaimView, calls PlanPod or PlanClaim and executes the actions in order:
//
//   - A Verify action requests a live lookup. Add the answer to the view and plan
//     again; nothing else is planned until then.
//   - CreateClaim creates a claim. After creating all of them, add the results to
//     the view and plan again.
//   - Actions changing a claim have an Apply method: pass it the latest known claim
//     (from the second action on, the API server's response) and send the result. A
//     conflict or another error ends the work item; it is retried.
//   - Fail has an error, and whether to retry with backoff.
//
// Planning from stale objects is harmless: writes carry the resourceVersion or UID,
// and Kubernetes garbage-collects claims generated for deleted pods. Start at PlanPod
// and PlanClaim.
package claimplan
