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

// Package evictplan decides which pods to evict because of device taints (KEP-5055), and when: for
// NoExecute taints, from ResourceSlices or DeviceTaintRules, that an allocated device does not
// tolerate, or no longer tolerates. It also writes the condition reporting a rule's effect.
//
// Pods using extended resources (KEP-5004) are treated like pods with explicit claims, unlike in
// Kubernetes' controller (kubernetes#141290).
//
// The controller keeps Pools up to date, collects the rest in a World, calls ForPod after each
// relevant change, and evicts on time. The package has no clock and no memory: newer objects get a
// new plan. Start at World.
package evictplan
