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

package classic

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Immediate has one claim for two pods, one after the other.
var Immediate = harness.Case{Meta: spec.Meta{
	ID:     "classic/immediate-allocation",
	Checks: "A claim with immediate allocation is allocated without a pod; its pods go to that node without a PodScheduling.",
	Requires: []spec.RequirementID{"kep-3063/immediate-or-delayed", "kep-3063/immediate-decides-nodes", "kep-3063/no-selected-node-for-immediate",
		"kep-3063/available-on-nodes", "kep-3063/user-claim-reused", "kep-3063/ephemeral-and-persistent", "kep-3063/driver-does-all-specific"},
	Needs: needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1, Refuse: t.Nodes[:1]})
	t.Create(claim("claim", d.Class("", nil), atOnce))
	node := place(t.WaitAllocated("claim"))
	t.Expect(node).To(gomega.Equal(t.Nodes[1]), "node of the device, chosen by the driver")
	record := c.WaitClassicClaim("claim", "allocated", func(r *classicdra.ClassicClaim) bool { return r != nil && r.Phase == allocated })
	t.Expect(record.Mode).To(gomega.Equal(modeAtOnce), "mode of the record")
	t.Expect(record.Node).To(gomega.BeEmpty(), "node selected by a scheduler")

	for _, name := range []string{"first", "second"} {
		t.Create(c.Pod(name, "claim"))
		t.Expect(t.WaitScheduled(name).Spec.NodeName).To(gomega.Equal(node), "node of pod %s", name)
		got := t.Claim("claim")
		t.Expect(reserved(got, name)).To(gomega.BeTrue(), "the claim is reserved for pod %s alone", name)
		c.WaitPodScheduling(name, "missing", none)
		t.RemovePod(name)
		c.WaitReleased("claim")
		t.Expect(place(t.Claim("claim"))).To(gomega.Equal(node), "node of the device after pod %s", name)
	}
	t.Create(objects.OnlyOn(c.Pod("elsewhere", "claim"), t.Nodes[0]))
	t.WaitUnschedulable("elsewhere", "resource claim is allocated elsewhere")
	t.Expect(place(t.Claim("claim"))).To(gomega.Equal(node), "node of the device while a pod limited to other nodes waits")
}}
