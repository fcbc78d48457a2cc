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

package sanity

import (
	"fmt"

	"github.com/dra-conformance/dratest/framework/spec"
)

// mostDevices bounds the devices of eachDevice.
const mostDevices = 16

// eachDevice is about: kubernetes-sigs/dranet#193, google/dranet#33, google/dranet#141, google/dranet#155, kubernetes-sigs/dra-driver-cpu#134,
// kubernetes-sigs/dra-driver-nvidia-gpu#363.
var eachDevice = Check{Meta: spec.Meta{
	ID:       "sanity/each-device",
	Checks:   "Each published device can be prepared, and after its unprepare prepared again for another claim.",
	Requires: []spec.RequirementID{"kep-4381/published-device-prepared", "kep-4381/unprepare-undoes-prepare"},
}, Source: "kubernetes-sigs/dranet#193, google/dranet#33, #141, #155, kubernetes-sigs/dra-driver-cpu#134, kubernetes-sigs/dra-driver-nvidia-gpu#363", Run: func(t *T) {
	t.Devices(1)
	devices, _ := t.free(func(Device) bool { return true })
	for _, device := range devices[:min(len(devices), mostDevices)] {
		t.timer.Reset(t.limit()) // each device has the time of a check
		for _, turn := range []string{"a claim", "another claim, in turn,"} {
			claim, what := t.One(device), fmt.Sprintf("%s for device %s of pool %s", turn, device.Name, device.Pool)
			t.Prepare(claim, what)
			t.Unprepare(claim, what)
			t.Delete(claim)
		}
	}
}}
