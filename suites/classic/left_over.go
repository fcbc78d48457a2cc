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

// LeftOver has a PodScheduling owned by a living pod; otherwise Kubernetes may delete it before anyone reads it. Pod
// "seen" and its PodScheduling are newer: once it is allocated, the driver has read the leftover one.
var LeftOver = harness.Case{Meta: spec.Meta{
	ID:       "classic/left-over",
	Checks:   "A PodScheduling not owned by the pod of its name is ignored by the driver and replaced by the scheduler.",
	Requires: []spec.RequirementID{"article-126/scheduling-object-named", "article-126/scheduling-object-created", "article-126/allocates-for-selected-node"},
	Needs:    needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1})
	class := d.Class("", nil)
	c.Scheduler.Kill()
	earlier, pod, seen := objects.Pod("earlier", t.Image), c.Pod("pod", "claim"), c.Pod("seen", "seen")
	t.Create(earlier, claim("claim", class, nil), pod)
	c.CreatePodScheduling("pod", earlier, t.Nodes[0])
	t.Create(claim("seen", class, nil), seen)
	c.CreatePodScheduling("seen", seen, t.Nodes[0])
	t.Expect(place(t.WaitAllocated("seen"))).To(gomega.Equal(t.Nodes[0]), "node of the device for pod seen")
	unallocated(t, "claim")
	t.Expect(held(t.Claim("claim"), d)).To(gomega.BeFalse(), "the driver holds something for the claim")
	left := c.WaitPodScheduling("pod", "there", exists)
	t.Expect(left.UnsuitableNodes).To(gomega.BeEmpty(), "response of the driver")

	// The scheduler's request stays until the claim is allocated.
	d.Begin(func(d *classicdra.DriverConfig) { d.FailAllocate = -1 })
	c.Scheduler.Begin(nil)
	said := c.WaitPodScheduling("pod", "the new pod's, with a node", func(s *classicdra.PodScheduling) bool {
		return answered("claim")(s) && s.Owner == string(pod.UID) && s.SelectedNode == t.Nodes[1]
	})
	d.Begin(func(d *classicdra.DriverConfig) { d.FailAllocate = 0 })
	t.Expect(t.WaitScheduled("pod").Spec.NodeName).To(gomega.Equal(said.SelectedNode), "node of the pod")
	t.Expect(t.WaitScheduled("seen").Spec.NodeName).To(gomega.Equal(t.Nodes[0]), "node of pod seen")
	c.WaitPodScheduling("pod", "gone", none)

	d.Kill() // Its pod waits then, and is deleted.
	again := c.Pod("again", "again")
	t.Create(claim("again", class, nil), again)
	c.WaitPodScheduling("again", "there", exists)
	t.RemovePod("again")
	newer := c.Pod("again", "again")
	t.Create(newer)
	c.WaitPodScheduling("again", "the new pod's", func(s *classicdra.PodScheduling) bool { return s != nil && s.Owner == string(newer.UID) })
}}
