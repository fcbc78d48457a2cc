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

package cases

import (
	"fmt"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// ExtendedMixedNodes serves an extended resource by a device plugin on one node, and moves another
// one from device plugin to DRA and back. A pod with a device plugin device runs through all steps.
var ExtendedMixedNodes = Case{
	Meta: spec.Meta{
		ID:       "upgrade/extended-mixed-nodes",
		Checks:   "After each step the same pod spec works on a node moving between device plugin and DRA.",
		Requires: []spec.RequirementID{"kep-5004/scenario-7", "kep-5004/nodes-of-both-kinds", "kep-5004/node-by-node"},
		Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.Empty(), Nodes: 2},
	},
	Before: func(t *harness.T, n *Notes) {
		b := byName{explicit: true}
		b.createClass(t)
		simdriver.Of(t).OfferOn(t.Nodes[0], b.counted(t, 1))
		b.runCounted(t, "stays", t.Nodes[0])
		n.note(t, "stays")
		b.moveNode(t, n)
	},
	After: func(t *harness.T, n *Notes, step path.Step) {
		n.unchanged(t)
		if concerns(t, step) {
			endMoved(t, n)
		}
	},
	Anew: func(t *harness.T, n *Notes, step path.Step) {
		if concerns(t, step) {
			byName{explicit: true}.moveNode(t, n)
		}
	},
	Gone: func(t *harness.T, n *Notes) {
		endMoved(t, n)
		t.RemovePod("stays")
		t.Driver.AwaitUnprepared()
	},
}

func moved(n *Notes) string { return fmt.Sprintf("moves-%d", n.Round) }

// moveNode moves the second node from one kind to the other and runs a pod there.
func (b byName) moveNode(t *harness.T, n *Notes) {
	n.Round++
	node := t.Nodes[1]
	if n.Round%2 == 1 {
		simdriver.Of(t).PublishOn(node, profiles.Empty())
		simdriver.Of(t).OfferOn(node, b.counted(t, 1))
		b.runCounted(t, moved(n), node)
		n.note(t, moved(n))
		return
	}
	simdriver.Of(t).OfferOn(node, b.counted(t, 0))
	simdriver.Of(t).PublishOn(node, profiles.OneDevice())
	b.run(t, n, moved(n), node)
}

// endMoved deletes the pod on the moving node.
func endMoved(t *harness.T, n *Notes) {
	if n.Pods[moved(n)].Extended != nil {
		endPod(t, n, moved(n))
		return
	}
	t.RemovePod(moved(n))
	n.forget(moved(n))
}
