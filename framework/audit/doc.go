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

// Package audit checks what the API objects of a cluster say about allocations:
// no device handed out twice, nothing left behind, no pod forgotten. It is pure:
// objects in, violations out; whoever reads the objects decides when.
//
// Groups of rules hold at different times. Devices holds in every state of the
// claims, and one list of claims is such a state; so does Failed for pods. Pods holds at every moment,
// but lists of different kinds are not of one moment: check twice and keep what
// Confirm keeps. Settled holds once nothing has happened for a while, Drivers when
// all pods are gone. For devices of a fabric, Attached is like Pods; AttachedForNobody and
// PublishedAttached are like Settled.
//
// It knows nothing of how the scheduler decides, so that it can judge any.
package audit
