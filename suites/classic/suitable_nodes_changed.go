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
	"github.com/dra-conformance/dratest/framework/spec"
)

// SuitableNodesChanged changes a class before a node is selected, while the driver cannot allocate for the selected
// node, and after allocation.
var SuitableNodesChanged = harness.Case{Meta: spec.Meta{
	ID:       "classic/suitable-nodes-changed",
	Checks:   "A class's suitable nodes apply until a claim is allocated; an allocated claim stays where it is.",
	Requires: []spec.RequirementID{"kep-3063/class-object", "kep-3063/potential-nodes", "kep-3063/delayed-picks-node", "kep-3063/immediate-decides-nodes"},
	Needs:    needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	first, second := t.Nodes[0], t.Nodes[1]
	d := c.Driver(classicdra.DriverConfig{Devices: 2, FailAllocate: -1})
	class := d.Class("", suits("none"))
	t.Create(claim("claim", class, users(t, 2)), c.Pod("pod", "claim"))
	t.WaitUnschedulable("pod", "resource class "+class+" does not suit the node")
	c.WaitPodScheduling("pod", "missing", none)
	for _, node := range []string{first, second} {
		c.ChangeResourceClass(class, suits(node))
		said := c.WaitPodScheduling("pod", "with "+node, selected(node))
		t.Expect(said.PotentialNodes).To(gomega.HaveEach(node), "nodes in the driver's questions while %s suits", node)
	}
	c.ChangeResourceClass(class, suits("none"))
	c.WaitPodScheduling("pod", "without a selected node", selected(""))
	unallocated(t, "claim")
	d.Begin(func(d *classicdra.DriverConfig) { d.FailAllocate = 0 })
	c.ChangeResourceClass(class, suits(second))
	t.Expect(t.WaitScheduled("pod").Spec.NodeName).To(gomega.Equal(second), "node of the pod")

	c.ChangeResourceClass(class, suits(first))
	t.Create(c.Pod("beside", "claim"), claim("new", class, nil), c.Pod("new", "new"))
	t.Expect(t.WaitScheduled("beside").Spec.NodeName).To(gomega.Equal(second), "node of another pod with the claim")
	t.Expect(t.WaitScheduled("new").Spec.NodeName).To(gomega.Equal(first), "node of a pod with a new claim")
	t.Expect(place(t.Claim("claim"))).To(gomega.Equal(second), "node of the device after the change")
	t.RemovePod("pod")
	t.RemovePod("beside")
	t.WaitDeallocated("claim")
	t.Create(c.Pod("next", "claim"))
	t.Expect(t.WaitScheduled("next").Spec.NodeName).To(gomega.Equal(first), "node of a pod after the claim was reallocated")
}}
