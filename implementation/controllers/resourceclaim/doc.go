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
