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

package allocation

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimsTogether has a pod with two claims; one of them fits anywhere.
var ClaimsTogether = harness.Case{Meta: spec.Meta{
	ID:       "allocation/claims-together",
	Checks:   "A pod with two claims goes to the node where both can be allocated, and the first leaves the second its device.",
	Requires: []spec.RequirementID{"kep-4381/node-fits-only-if-allocatable"},
	Needs:    spec.Needs{NoKubelet: true, Nodes: 2},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("first", t.Nodes[0], profiles.Device(0, "b", "8Gi"))
	t.Create(objects.Claim("any", objects.Request("req", class)), objects.Claim("b", objects.Request("req", class, t.Attribute(profiles.Model)+" == 'b'")),
		objects.Pod("pod", t.Image, "any", "b"))
	t.WaitUnschedulable("pod", noDevices)
	t.Expect([]any{t.Claim("any").Status.Allocation, t.Claim("b").Status.Allocation}).To(gomega.HaveEach(gomega.BeNil()), "allocations of claims not fitting together")

	t.Publish("second", t.Nodes[1], profiles.Device(1, "b", "8Gi"), profiles.Device(2, "a", "8Gi"))
	t.Expect(t.WaitScheduled("pod").Spec.NodeName).To(gomega.Equal(t.Nodes[1]), "node of the pod")
	t.Expect(t.Claim("b")).To(matchers.HaveDevices("device-1"), "device of the claim without an alternative")
	t.Expect(t.Claim("any")).To(matchers.HaveDevices("device-2"), "device of the other claim")
}}
