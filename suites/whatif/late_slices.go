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

package whatif

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// LateSlices adds nodes Ready before their drivers publish anything.
var LateSlices = harness.Case{Meta: spec.Meta{
	ID:       "whatif/late-slices",
	Checks:   "dra-whatif does not count a Ready node without slices; with them no further node is needed.",
	Requires: []spec.RequirementID{simulates},
	Needs:    needs(),
}, Run: func(t *harness.T) {
	equal(t, "pod", 3, objects.Claim("", objects.Request("req", t.CreateClass(nil))), nil)
	group := whatif.NodeGroup(t, "gpu", devices(2)...)
	waitClaims(t)
	predicted := whatif.Grow(t, group)
	names := predicted.Groups[0].Nodes
	t.Expect(names).To(gomega.HaveLen(2), "new nodes")
	for _, name := range names {
		whatif.AddBareNode(t, group, name)
	}
	expectStay(t, map[string]int{"pod": 3})
	t.Expect(onNew(whatif.Grow(t, group))).To(gomega.Equal(3), "pods needing a new node while slices of existing nodes are missing")
	for _, name := range names {
		whatif.PublishFor(t, group, name)
	}
	waitScheduled(t, nil)
	expectLeft(t, predicted)
}}

// onNew counts the pods predicted to go to an added node.
func onNew(growth spec.Growth) int {
	n := 0
	for _, p := range growth.Pods {
		if p.New {
			n++
		}
	}
	return n
}
