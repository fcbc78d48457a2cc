// Package resourceclaim is the ResourceClaim controller: it creates claims from templates, reserves
// them for pods bound without a scheduler, and removes unused reservations, allocations and claims.
//
// claimplan decides. This package watches, builds claimplan's views, executes its actions and
// retries failures. It replaces the controller of the same name in kube-controller-manager: either
// can take over from the other at any time, because claim names, owners, annotations, field
// manager, events and metrics are the same.
//
// Start at Controller; syncPod and syncClaim do the work.
package resourceclaim
