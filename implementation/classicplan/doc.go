// Package classicplan decides what is done for classic DRA, where a driver's own
// controller allocates claims. It has no clients, clocks or goroutines.
//
//   - Resolve says whether a claim is classic, and what it asks for.
//   - PlanClaim is the next step of a driver's controller for one claim, from the first
//     finalizer to the last: it allocates, deallocates and never does both at once.
//   - ToCheck and Answer are its part in choosing a node for a pod.
//   - Negotiate is the scheduler's part in that, Fits its filter, and Recover what it does
//     when no node fits, with Deallocation's choice of a claim.
//
// Steps may be planned from old objects. Each one that changes an object does so by
// resourceVersion, so that a step that is out of date is refused; before a driver is
// called, the record (ClassicClaim) has to be the one that the API server has.
// docs/adr/0019 says why two allocations of one claim cannot be.
package classicplan
