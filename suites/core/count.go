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

package core

import (
	"cmp"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/published"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Count asks for more than one device in a request.
var Count = harness.Case{Meta: spec.Meta{
	ID:       "core/count",
	Checks:   "A request for two devices gets two different ones on one node, and the container sees both.",
	Requires: []spec.RequirementID{"kep-4381/exact-count"},
	Needs:    spec.Needs{Profile: profiles.FourDevices(), Nodes: 2, Devices: 2},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	request := t.Driver.Request("req")
	request.Exactly.Count = 2
	t.Create(objects.Claim("claim", request))

	pod := t.RunPod(t.Pod("pod", "claim"))

	claim := t.WaitAllocated("claim")
	results := claim.Status.Allocation.Devices.Results
	t.Expect(results).To(gomega.HaveLen(2), "allocated devices")
	t.Expect(results[0].Device).NotTo(gomega.Equal(results[1].Device), "the two devices")
	expectOnNode(t, claim, pod.Spec.NodeName)
	t.Driver.ExpectDevices("pod", "main", claim)
}}

// expectOnNode ends the case unless all devices of a claim are published for a node, or
// for all nodes. A device may leave its slice while it is in use: no document forbids it.
func expectOnNode(t *harness.T, claim *resourceapi.ResourceClaim, node string) {
	ginkgo.GinkgoHelper()
	for _, r := range claim.Status.Allocation.Devices.Results {
		_, device, there := published.Find(t, r.Pool, r.Device)
		if !there {
			t.Note("device %s of pool %s is not published while it is in use", r.Device, r.Pool)
			continue
		}
		t.Expect(cmp.Or(device.Node, node)).To(gomega.Equal(node), "node of device %s of pool %s", r.Device, r.Pool)
	}
}
