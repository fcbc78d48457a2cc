// Package resourceclaim is the controller that gives pods their ResourceClaims: it
// creates them from templates, reserves them for pods that no scheduler has seen, and
// takes reservations, allocations and claims away when nobody uses them any more.
//
// What is to be done is decided by claimplan. This package watches, fills claimplan's
// views, does its actions and retries what fails. In place of the controller of the
// same name in kube-controller-manager: either can take over from the other at any
// time, names of claims, owners, annotations, field manager, events and metrics are
// the same.
//
// Start at Controller; syncPod and syncClaim do the work.
package resourceclaim
