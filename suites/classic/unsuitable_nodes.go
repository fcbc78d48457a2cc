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
	"slices"
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// UnsuitableNodes has several pods, as one could get the right node by chance. A scheduler may select a node when it
// asks, and revoke that after a rejection.
var UnsuitableNodes = harness.Case{Meta: spec.Meta{
	ID:     "classic/unsuitable-nodes",
	Checks: "A node the driver rejects does not stay selected and gets no allocation; all pods go to the other one.",
	Requires: []spec.RequirementID{"article-126/unsuitable-nodes-answered", "article-126/selected-node-stored", "kep-3063/suitable-nodes",
		"kep-3063/other-node-tried", "kep-3063/custom-matching"},
	Needs: needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	refused, left := t.Nodes[0], t.Nodes[1]
	d := c.Driver(classicdra.DriverConfig{Devices: 4, Refuse: []string{refused}, Takes: time.Second})
	class := d.Class("", nil)
	for i := range 4 {
		name := fmt.Sprint("pod-", i)
		t.Create(claim(name, class, nil), c.Pod(name, name))
		c.WaitPodScheduling(name, "answered, with the other node", func(s *classicdra.PodScheduling) bool {
			return answered(name)(s) && s.SelectedNode == left && !slices.Contains(s.UnsuitableNodes[name], left)
		})
		t.Expect(t.WaitScheduled(name).Spec.NodeName).To(gomega.Equal(left), "node of %s", name)
	}
}}
