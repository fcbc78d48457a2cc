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

// TwoDrivers has drivers agreeing on one of three nodes after the second one changes its answer.
var TwoDrivers = harness.Case{Meta: spec.Meta{
	ID:     "classic/two-drivers",
	Checks: "While a pod's drivers have no node in common none of them allocates; once they do, both allocate there.",
	Requires: []spec.RequirementID{"kep-3063/drivers-without-scheduler-changes", "kep-3063/plugin-name-unique", "kep-3063/pending-needs-suitable-nodes", "kep-3063/allocated-phase-by-driver",
		"kep-3063/other-node-tried", "article-126/not-scheduled-without-all", "article-126/scheduled-when-allocated", "article-126/unsuitable-nodes-answered"},
	Needs: needs(3),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	first := c.Driver(classicdra.DriverConfig{Devices: 1, Refuse: t.Nodes[:1]})
	second := c.Driver(classicdra.DriverConfig{Devices: 1, Refuse: t.Nodes[1:]})
	t.Create(claim("a", first.Class("", nil), nil), claim("b", second.Class("", nil), nil), c.Pod("pod", "a", "b"))
	c.WaitPodScheduling("pod", "refused by one driver or the other on all nodes", func(s *classicdra.PodScheduling) bool {
		return s != nil && len(s.UnsuitableNodes["a"]) == 1 && len(s.UnsuitableNodes["b"]) == 2
	})
	t.WaitUnschedulable("pod", "")
	unallocated(t, "a")
	unallocated(t, "b")
	t.Expect(first.Held()).To(gomega.BeEmpty(), "devices of the first driver while there is no node")

	second.Begin(func(d *classicdra.DriverConfig) { d.Refuse = t.Nodes[:2] })
	node := t.WaitScheduled("pod").Spec.NodeName
	t.Expect(node).To(gomega.Equal(t.Nodes[2]), "node of the pod: the only one suitable for both drivers")
	for name, d := range map[string]*classicdra.Program{"a": first, "b": second} {
		got := t.Claim(name)
		t.Expect(place(got)).To(gomega.Equal(node), "node of the device of claim %s", name)
		t.Expect(got.Status.Allocation.Devices.Results[0].Driver).To(gomega.Equal(d.Name()), "driver of claim %s", name)
		t.Expect(reserved(got, "pod")).To(gomega.BeTrue(), "claim %s is reserved for the pod", name)
	}
	c.WaitPodScheduling("pod", "gone", none)
}}
