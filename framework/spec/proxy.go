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

// KilledAfterAnswer is in the error of a call after which a proxy has killed the driver.
const KilledAfterAnswer = "the driver was killed after it had answered"

// Proxy is what a proxy between a kubelet and a driver does to calls, beside recording them;
// its zero value forwards them as they are.
type Proxy struct {
	// Faults are those of a driver that need no help of it, such as FaultCallError, with
	// which a call does not come to the driver, and FaultSlow.
	Faults []Fault `json:"faults,omitempty"`
	// Twice forwards each call twice; the kubelet gets the second answer, with what the first
	// one had errors for.
	Twice bool `json:"twice,omitempty"`
	// KillAfter kills the driver's process once, when it has answered a call of this method,
	// and the kubelet gets KilledAfterAnswer instead of it. Where it cannot be killed the
	// kubelet gets the answer, and the proxy's status says why.
	KillAfter Method `json:"killAfter,omitempty"`
	// Measure has the proxy's status say what the driver's process uses.
	Measure bool `json:"measure,omitempty"`
}
