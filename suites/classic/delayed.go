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
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Delayed has a slow driver, so that the states before the allocation are visible. Claim "other" is
// newer than the waiting one: once it is allocated, the driver has seen both.
var Delayed = harness.Case{Meta: spec.Meta{
	ID:     "classic/delayed-allocation",
	Checks: "A delayed claim is allocated through a PodScheduling: driver answers, scheduler selects a node, driver allocates.",
	Requires: []spec.RequirementID{
		"article-126/scheduling-object", "article-126/scheduling-object-created", "article-126/scheduling-object-named", "article-126/potential-nodes-told",
		"article-126/unsuitable-nodes-answered", "article-126/selected-node-stored", "article-126/allocates-for-selected-node", "article-126/scheduled-when-allocated",
		"article-126/reserved-for-pod", "kep-3063/immediate-or-delayed", "kep-3063/delayed-picks-node", "kep-3063/selected-node-set", "kep-3063/potential-nodes",
		"kep-3063/suitable-nodes", "kep-3063/pending-needs-suitable-nodes", "kep-3063/driver-finalizer", "kep-3063/driver-name-copied", "kep-3063/allocated-phase-by-driver",
		"kep-3063/status-tells-all", "kep-3063/controller-watches-claims",
	},
	Needs: needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 2, Takes: 3 * time.Second})
	class := d.Class("", nil)
	t.Create(claim("claim", class, nil), claim("other", class, atOnce))
	t.WaitAllocated("other")
	unallocated(t, "claim")
	t.Expect(held(t.Claim("claim"), d)).To(gomega.BeFalse(), "the driver holds a device for an unused claim")

	pod := c.Pod("pod", "claim")
	t.Create(pod)
	said := c.WaitPodScheduling("pod", "answered, with a node", answered("claim"))
	t.Expect(said.Owner).To(gomega.BeEquivalentTo(pod.UID), "owner of the PodScheduling")
	t.Expect(said.PotentialNodes).NotTo(gomega.BeEmpty(), "potential nodes")
	t.Expect(t.Nodes).To(gomega.ContainElements(said.PotentialNodes), "possible nodes of the pod")
	t.Expect(said.UnsuitableNodes["claim"]).To(gomega.BeEmpty(), "unsuitable nodes")
	node := said.SelectedNode
	record := c.WaitClassicClaim("claim", "begun", func(r *classicdra.ClassicClaim) bool { return r != nil })
	t.Expect(record.Driver).To(gomega.Equal(d.Name()), "driver of the record")
	t.Expect(record.Mode).To(gomega.Equal(modeDelayed), "mode of the record")
	t.Expect(record.Node).To(gomega.Equal(node), "node of the record")
	t.Expect(held(t.Claim("claim"), d)).To(gomega.BeTrue(), "the driver's finalizer is there before it allocates")

	t.Expect(t.WaitScheduled("pod").Spec.NodeName).To(gomega.Equal(node), "node of the pod")
	got := t.Claim("claim")
	t.Expect(place(got)).To(gomega.Equal(node), "node of the device")
	t.Expect(got.Status.Allocation.Devices.Results[0].Driver).To(gomega.Equal(d.Name()), "driver of the device")
	t.Expect(reserved(got, "pod")).To(gomega.BeTrue(), "the claim is reserved for the pod alone")
	t.Expect(d.Held()).To(gomega.HaveKey(string(got.UID)), "owners of devices of the driver")
	c.WaitClassicClaim("claim", "allocated", func(r *classicdra.ClassicClaim) bool {
		return r != nil && r.Phase == allocated && r.Handle != "" && r.UserLimit == 1
	})
	c.WaitPodScheduling("pod", "gone", none)
}}
