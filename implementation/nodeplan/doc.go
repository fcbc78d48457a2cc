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

// Package nodeplan decides what the kubelet's DRA manager does next: the claims to prepare or
// unprepare by drivers on this node, and when to write the checkpoint.
//
// State holds the claims of the node. Next returns the steps for some pods: driver calls and
// lookups, which can run concurrently, and a WriteCheckpoint. Each step is returned once and
// answered with ApplyWrite, ApplyCall or ApplyLookUp; then call Next again, until the pods are done
// or have failed. A failed step is not returned again before Retry.
//
// Invariant, even if the kubelet crashes: the checkpoint lists a claim from before the first call
// of a driver until after the last one. After a restart, New finds the possibly prepared claims in
// it, and drivers are called again: their calls are idempotent.
//
// State is not safe for concurrent use. Next must not be called between a WriteCheckpoint and its
// answer; all other methods may.
package nodeplan
