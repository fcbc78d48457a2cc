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
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Learned takes the group from an existing node with devices in use.
var Learned = harness.Case{Meta: spec.Meta{
	ID:       "whatif/learned",
	Checks:   "dra-whatif predicts the nodes needed from an existing node: one less leaves as many pods waiting as predicted.",
	Requires: []spec.RequirementID{simulates, "kep-4381/slice-node-name-for-autoscaler"},
	Needs:    needs(),
}, Run: func(t *harness.T) {
	claim := objects.Claim("", objects.Request("req", t.CreateClass(nil)))
	group := whatif.NodeGroup(t, "gpu", devices(2)...)
	first := group.Name + "-first"
	whatif.AddNode(t, group, first)
	equal(t, "user", 2, claim, nil)
	waitScheduled(t, nil)
	equal(t, "pod", 3, claim, nil)
	expectTrue(t, whatif.Learn(t, first))
}}
