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

// Package controller is the driver-independent control plane part of a classic DRA driver; the rest
// is a Driver with four methods. The controller watches claims, pods and the scheduler's requests
// (PodScheduling), decides with classicplan, and has the driver allocate, deallocate and report
// unsuitable nodes. It retries errors with backoff and reports them in claim events.
//
// All state is in objects: after a crash, start another controller. Only one may run at a time,
// ensured by Lead. Start at New.
//
// Its service account needs: get, list, watch on pods, deviceclasses, resourceclaims,
// resourceclasses, podschedulings, classicclaims; update on resourceclaims, resourceclaims/status,
// resourceclaims/binding, podschedulings/status, classicclaims, classicclaims/status; create and
// delete on classicclaims; create and patch on events; Lead's permissions for leases; and get on
// the objects with the driver's parameters.
package controller
