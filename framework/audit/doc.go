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

// Package audit checks the API objects of a cluster for violations of allocation rules: devices allocated twice,
// leftovers, forgotten pods. It is pure: objects in, violations out; the caller decides when to read the objects.
//
// Groups of rules hold at different times. Devices holds in every state of the claims, for example one list, as does
// Failed for pods. Pods holds at every moment, but lists of different kinds are not atomic: check twice and use
// Confirm. Settled holds once nothing has happened for a while, Drivers when all pods are gone. For devices of a
// fabric, Attached is like Pods; AttachedForNobody and PublishedAttached are like Settled.
//
// It is independent of the scheduler's algorithm, so it can audit any scheduler.
package audit
