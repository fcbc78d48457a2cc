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

// Package tainteviction is the device taint eviction controller: it evicts pods whose devices have
// untolerated NoExecute taints (KEP-5055) and reports the effect of DeviceTaintRules in their
// status.
//
// evictplan decides; this package watches, evicts on time and reports. It replaces the controller
// of the same name in kube-controller-manager: conditions, events, metrics and the condition of
// evicted pods are the same. It also evicts pods using devices through extended resources.
//
// Start at Controller; syncPod and syncRule do the work.
package tainteviction
