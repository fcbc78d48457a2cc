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

// Package classicplan decides the next steps of classic DRA, where a driver's own
// controller allocates claims. It has no clients, clocks or goroutines.
//
//   - Resolve returns whether a claim is classic, and its request.
//   - PlanClaim is the next step of a driver's controller for one claim, from the first
//     finalizer to the last: it allocates and deallocates, never both at once.
//   - ToCheck and Answer are its part in choosing a node for a pod.
//   - Negotiate is the scheduler's part in that, Fits its filter, and Recover its action
//     when no node fits, with Deallocation's choice of a claim.
//
// Steps may be planned from stale objects. Each update carries the resourceVersion, so a
// stale step is rejected; before a driver is called, the record (ClassicClaim) has to be
// read from the API server. docs/adr/0019 explains why a claim cannot be allocated twice.
package classicplan
