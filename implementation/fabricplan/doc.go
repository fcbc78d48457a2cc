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

// Package fabricplan decides what the controller of a composable fabric does: which
// devices to publish as free, which to attach for claims and how to report them there,
// and which to detach (KEP-5007, section "Composable Controller Design Overview").
//
// Free devices of a fabric are published as slots: a number of anonymous devices of a
// model. For a claim with a slot, the fabric attaches any device of the model. The next
// step is the administrator's choice (Config.Reschedule):
//
//   - The pod is bound with its slot, and the driver on the node finds the device in the
//     claim's status (Attachment).
//   - As in KEP-5007 for composable systems, once the driver on the node publishes the
//     device as a local one, a failure condition abandons binding and the pod is
//     rescheduled to the local device.
//
// PlanClaim is called for each claim, PlanPools and PlanDetach periodically. The answer
// to a query (Attach, VerifyNode, VerifyClaims) goes into the view, which is planned
// again. Planning from stale objects is harmless: fabric requests are idempotent by key,
// claim updates carry the resourceVersion, and before a device is detached, claims are
// read from the API server.
package fabricplan
