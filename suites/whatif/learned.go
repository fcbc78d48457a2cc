package whatif

import (
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Learned takes the group from an existing node whose devices are in use.
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
