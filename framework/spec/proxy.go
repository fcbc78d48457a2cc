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

package spec

// KilledAfterAnswer is in the error of a call if a proxy killed the driver after it.
const KilledAfterAnswer = "the driver was killed after it had answered"

// DriverEnded is the problem of a proxy after the end of the driver's process.
const DriverEnded = "the driver's process has ended"

// Proxy configures a proxy between a kubelet and a driver, in addition to recording calls; its zero value forwards
// them unchanged.
type Proxy struct {
	// Faults are faults without the driver's help, such as FaultCallError (the call does not reach the driver) and
	// FaultSlow.
	Faults []Fault `json:"faults,omitempty"`
	// Twice forwards each call twice; the kubelet gets the second answer, with the first one's errors.
	Twice bool `json:"twice,omitempty"`
	// KillAfter kills the driver's process once after it has answered a call of this method, and the kubelet gets
	// KilledAfterAnswer instead of the answer. If the kill fails, the kubelet gets the answer, and the proxy's status
	// has the error.
	KillAfter Method `json:"killAfter,omitempty"`
	// Measure adds the resource use of the driver's process to the proxy's status.
	Measure bool `json:"measure,omitempty"`
}
