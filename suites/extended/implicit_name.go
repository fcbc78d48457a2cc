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

package extended

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ImplicitName requests devices of a class without extendedResourceName.
var ImplicitName = harness.Case{Meta: spec.Meta{
	ID:       "extended/implicit-name",
	Checks:   "A container requesting two units of a class's implicit extended resource gets two devices of this class.",
	Requires: []spec.RequirementID{"kep-5004/implicit-name"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.TwoDevices(), Devices: 2, DriverFeatures: []spec.DriverFeature{spec.DriverExtendedResource}},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	pod := t.Pod("pod")
	pod.Spec.Containers[0] = objects.Wants(pod.Spec.Containers[0], map[string]int64{implicit(t.Driver.Request("").Exactly.DeviceClassName): 2})

	pod = t.RunPod(pod)

	claim := t.WaitAllocated(pod.Status.ExtendedResourceClaimStatus.ResourceClaimName)
	t.Expect(claim.Status.Allocation.Devices.Results).To(gomega.HaveLen(2), "allocated devices")
	t.Driver.ExpectDevices("pod", "main", claim)
}}
