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
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// KeepsRunning runs a pod with a claim on each node through all steps.
var KeepsRunning = Case{
	Meta: spec.Meta{
		ID:       "upgrade/keeps-running",
		Checks:   "A pod with a claim keeps running with its devices through every step, and they are not prepared again.",
		Requires: []spec.RequirementID{"kep-4381/prepare-before-start", "kep-4381/unprepare-after-last"},
		Needs:    spec.Needs{Profile: profiles.OneDevice(), Nodes: 2},
	},
	Before: func(t *harness.T, n *Notes) {
		class := t.CreateClass(nil)
		for _, node := range t.Nodes {
			t.Create(objects.Claim(node, objects.Request("req", class)))
			t.RunPod(objects.OnlyOn(objects.Pod(node, t.Image, node), node))
			n.note(t, node, node)
		}
	},
	After:    func(t *harness.T, n *Notes, _ path.Step) { n.unchanged(t) },
	Restored: func(t *harness.T, n *Notes) { n.unchanged(t) },
	Gone: func(t *harness.T, _ *Notes) {
		for _, node := range t.Nodes {
			t.RemovePod(node)
			t.WaitDeallocated(node)
			simdriver.Of(t).ExpectCalls(spec.Prepare, node, 1, "from first to last")
			awaitUnprepared(t, node)
			simdriver.Of(t).ExpectCalls(spec.Unprepare, node, 1, "")
		}
	},
}
