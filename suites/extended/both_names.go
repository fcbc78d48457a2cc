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
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// BothNames requests devices of one class by its explicit and its implicit name in one container.
// The pod's status maps the container to both requests.
var BothNames = harness.Case{Meta: spec.Meta{
	ID:     "extended/both-names",
	Checks: "The special claim has separate requests for the explicit and the implicit name of a class.",
	Requires: []spec.RequirementID{
		"kep-5004/explicit-name", "kep-5004/implicit-name", "kep-5004/request-per-container-and-resource", "kep-5004/request-of-matching-class",
	},
	Needs: spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ExtendedResource}},
}, Run: func(t *harness.T) {
	explicit, byClass := createClass(t), implicit(t.DriverName())
	t.Publish("pool", t.Nodes[0], deviceOf("device-0"), deviceOf("device-1"), deviceOf("device-2"), deviceOf("device-3"))
	t.Create(objects.PodWanting("pod", t.Image, map[string]int64{explicit: 2, byClass: 1}))

	status := t.WaitScheduled("pod").Status.ExtendedResourceClaimStatus

	t.Expect(status).NotTo(gomega.BeNil(), "the claim in the pod's status")
	claim := t.WaitAllocated(status.ResourceClaimName)
	number, devices, mapped := map[string]int64{}, map[string]bool{}, map[string]int64{}
	for _, r := range claim.Spec.Devices.Requests {
		t.Expect(r.Exactly.DeviceClassName).To(gomega.Equal(t.DriverName()), "class of request %s", r.Name)
		number[r.Name] = r.Exactly.Count
	}
	for _, m := range status.RequestMappings {
		mapped[m.ResourceName] += number[m.RequestName]
	}
	for _, r := range claim.Status.Allocation.Devices.Results {
		devices[r.Device] = true
	}
	t.Expect(number).To(gomega.HaveLen(2), "requests of the claim")
	t.Expect(mapped).To(gomega.Equal(map[string]int64{explicit: 2, byClass: 1}), "devices of the requests mapped to the two names")
	t.Expect(devices).To(gomega.HaveLen(3), "allocated devices")
}}
