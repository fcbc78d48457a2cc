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

// SchedulerKilled kills the scheduler before drivers have answered, and before they have allocated.
var SchedulerKilled = harness.Case{Meta: spec.Meta{
	ID:       "classic/scheduler-killed",
	Checks:   "A scheduler killed during negotiation resumes from the objects: the pod goes to the node already selected.",
	Requires: []spec.RequirementID{"kep-3063/claim-status-kept", "article-126/selected-node-stored", "article-126/allocates-for-selected-node", "article-126/scheduled-when-allocated"},
	Needs:    needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1, FailAllocate: -1})
	class := d.Class("", nil)
	d.Kill()
	t.Create(claim("claim", class, nil), c.Pod("pod", "claim"))
	c.WaitPodScheduling("pod", "there", exists)
	c.Scheduler.Kill()
	d.Begin(nil)
	c.Scheduler.Begin(nil)
	node := c.WaitPodScheduling("pod", "answered, with a node", answered("claim")).SelectedNode
	t.WaitEvent("claim", "Failed", "allocating fails on purpose")
	c.Scheduler.Kill()
	d.Begin(func(d *classicdra.DriverConfig) { d.FailAllocate = 0 })
	t.Expect(place(t.WaitAllocated("claim"))).To(gomega.Equal(node), "node of the device")
	c.Scheduler.Begin(nil)
	t.Expect(t.WaitScheduled("pod").Spec.NodeName).To(gomega.Equal(node), "node of the pod")
	t.Expect(reserved(t.Claim("claim"), "pod")).To(gomega.BeTrue(), "the claim is reserved for the pod alone")
}}
