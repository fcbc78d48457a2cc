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

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimWaits has claims after an extended resource has used the first of two devices of a class.
var ClaimWaits = harness.Case{Meta: spec.Meta{
	ID:       "extended/claim-waits",
	Checks:   "A device allocated for an extended resource is not allocated to a claim until the pod using it is gone.",
	Requires: []spec.RequirementID{"kep-5004/no-partition"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ExtendedResource}},
}, Run: func(t *harness.T) {
	one := map[string]int64{createClass(t): 1}
	t.Publish("pool", t.Nodes[0], deviceOf("device-0"), deviceOf("device-1"))
	t.Create(objects.PodWanting("wanting", t.Image, one))
	status := t.WaitScheduled("wanting").Status.ExtendedResourceClaimStatus
	t.Expect(status).NotTo(gomega.BeNil(), "the claim in the pod's status")
	taken := t.Claim(status.ResourceClaimName).Status.Allocation.Devices.Results[0].Device
	left := map[string]string{"device-0": "device-1", "device-1": "device-0"}[taken]
	t.Create(objects.Claim("first", objects.Request("req", t.DriverName())), objects.Pod("first", t.Image, "first"))
	t.WaitScheduled("first")
	t.Expect(t.Claim("first")).To(matchers.HaveDevices(left), "device left by the extended resource")
	t.Create(objects.Claim("late", objects.Request("req", t.DriverName())), objects.Pod("late", t.Image, "late"))
	t.WaitUnschedulable("late", "cannot allocate all claims")
	t.RemovePod("wanting")
	t.WaitScheduled("late")
	t.Expect(t.Claim("late")).To(matchers.HaveDevices(taken), "device of the removed pod")
}}
