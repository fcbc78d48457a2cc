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
	"slices"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NodesFull has one device on each of two nodes.
var NodesFull = harness.Case{Meta: spec.Meta{
	ID:     "classic/nodes-full",
	Checks: "With all nodes full a pod waits without allocation; once another claim is deleted, it gets the freed resource.",
	Requires: []spec.RequirementID{"kep-3063/deallocated-with-pod", "kep-3063/allocated-before-scheduled", "article-126/not-scheduled-without-all", "kep-3063/device-cleaned-up",
		"kep-3063/suitable-nodes"},
	Needs: needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1})
	class := d.Class("", nil)
	nodes := map[string]string{}
	for _, name := range []string{"a", "b"} {
		t.Create(claim(name, class, nil), c.Pod(name, name))
		nodes[name] = t.WaitScheduled(name).Spec.NodeName
	}
	t.Expect(nodes["a"]).NotTo(gomega.Equal(nodes["b"]), "nodes of the two pods")
	t.Create(claim("c", class, nil), c.Pod("c", "c"))
	t.WaitUnschedulable("c", "")
	c.WaitPodScheduling("c", "refused on both nodes", func(s *classicdra.PodScheduling) bool { return s != nil && len(s.UnsuitableNodes["c"]) == 2 })
	unallocated(t, "c")
	c.Scheduler.Kill() // It would ask again.
	t.RemovePod("b")
	t.Delete(t.Claim("b"))
	c.WaitPodScheduling("c", "refused on the other node only", func(s *classicdra.PodScheduling) bool {
		return s != nil && slices.Equal(s.UnsuitableNodes["c"], []string{nodes["a"]})
	})
	c.Scheduler.Begin(nil)
	t.Expect(t.WaitScheduled("c").Spec.NodeName).To(gomega.Equal(nodes["b"]), "node of the pending pod")
	t.Expect(d.Held()).To(gomega.HaveLen(2), "devices allocated to claims")
	t.WaitClaimGone("b")
}}
