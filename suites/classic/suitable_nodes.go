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
	"fmt"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SuitableNodes has a class for each of two nodes.
var SuitableNodes = harness.Case{Meta: spec.Meta{
	ID:       "classic/suitable-nodes",
	Checks:   "Claims are allocated only on nodes suitable for their class, and the driver is asked about no others.",
	Requires: []spec.RequirementID{"kep-3063/class-object", "kep-3063/potential-nodes", "kep-3063/delayed-picks-node"},
	Needs:    needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 3, FailAllocate: -1})
	for i, node := range t.Nodes {
		class := d.Class(fmt.Sprint("-", i), suits(node))
		for j := range 2 {
			name := fmt.Sprintf("pod-%d-%d", i, j)
			t.Create(claim(name, class, nil), c.Pod(name, name))
			said := c.WaitPodScheduling(name, "answered, with a node", answered(name))
			t.Expect(said.SelectedNode).To(gomega.Equal(node), "selected node of %s", name)
			t.Expect(append([]string{node}, said.PotentialNodes...)).To(gomega.HaveEach(node), "nodes in the driver's questions for %s", name)
		}
	}
	d.Begin(func(d *classicdra.DriverConfig) { d.FailAllocate = 0 })
	for i, node := range t.Nodes {
		for j := range 2 {
			name := fmt.Sprintf("pod-%d-%d", i, j)
			t.Expect(t.WaitScheduled(name).Spec.NodeName).To(gomega.Equal(node), "node of %s", name)
			t.Expect(place(t.Claim(name))).To(gomega.Equal(node), "node of the device of %s", name)
		}
	}
}}
