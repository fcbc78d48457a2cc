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

package claims

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NoDeviceTwice concurrently creates more claims than devices.
var NoDeviceTwice = harness.Case{Meta: spec.Meta{
	ID:       "claims/no-device-twice",
	Checks:   "Concurrent claims never get the same device; waiting pods get devices once they are deallocated.",
	Requires: []spec.RequirementID{"kep-4381/in-flight-devices-not-shared"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	const number = 10
	class := devices(t, t.Nodes[0], number)
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
	takeInTurn(t, 2*number, number, func(given []resourceapi.DeviceRequestAllocationResult) { differ(t, given) })
}}
