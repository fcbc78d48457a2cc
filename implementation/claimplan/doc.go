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
