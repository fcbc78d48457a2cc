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

package harness

import (
	resourceapi "k8s.io/api/resource/v1"
)

// Driver is the driver of a case: a simulated driver, or the driver under test as
// its vendor installed it.
type Driver interface {
	// Request asks for one device.
	Request(name string) resourceapi.DeviceRequest
	// Script is the first command of a container. Its output is the input of ExpectDevices.
	Script() string
	// ExpectDevices ends the case unless a container has exactly the devices allocated for these
	// requests of a claim, or for all of them if none are given. A nil claim means no devices.
	ExpectDevices(pod, container string, claim *resourceapi.ResourceClaim, requests ...string)
	// ExpectHeld ends the case unless a claim is prepared and was never unprepared.
	ExpectHeld(claim *resourceapi.ResourceClaim)
	// AwaitUnprepared waits until no claim of the case is prepared.
	AwaitUnprepared()
}
