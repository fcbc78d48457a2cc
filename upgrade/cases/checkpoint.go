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
	"maps"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// Checkpoint reads the kubelet's claim checkpoint before and after another kubelet takes over.
var Checkpoint = Case{
	Meta: spec.Meta{
		ID:       "upgrade/checkpoint",
		Checks:   "A kubelet reads its predecessor's DRA checkpoint, continues with its claims and unprepares them.",
		Requires: []spec.RequirementID{"kep-4381/unprepare-after-last", "kep-4381/prepare-before-start"},
		Needs:    spec.Needs{Profile: profiles.OneDevice(), Nodes: 2},
	},
	Before: func(t *harness.T, n *Notes) {
		t.CreateClass(nil)
		makeRound(t, n)
		expectCheckpoint(t, n)
	},
	After: func(t *harness.T, n *Notes, step path.Step) {
		if !step.Changes(path.Kubelet) {
			return
		}
		expectCheckpoint(t, n)
		old := maps.Clone(n.Claims)
		deleteRound(t, n)
		for _, node := range t.Nodes {
			prepared := kubelet.Prepared(t, node)
			for _, claim := range old {
				t.Expect(prepared).NotTo(gomega.ContainElement(claim.UID), "checkpoint on %s after the pod is gone", node)
			}
		}
		makeRound(t, n)
		expectCheckpoint(t, n)
	},
	Gone: deleteRound,
}

func expectCheckpoint(t *harness.T, n *Notes) {
	n.unchanged(t)
	for _, node := range t.Nodes {
		uid := n.Claims[inRound(n, node)].UID
		t.Expect(kubelet.Prepared(t, node)).To(gomega.ContainElement(uid), "checkpoint on %s", node)
	}
}
