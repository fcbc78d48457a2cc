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

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// SharedClaim has two pods sharing a claim through all steps, and a third one after each step.
var SharedClaim = Case{
	Meta: spec.Meta{
		ID:         "upgrade/shared-claim",
		Checks:     "Two pods share a claim through every step, and a third one can join them with the same device.",
		Requires:   []spec.RequirementID{"kep-4381/share-between-pods", "kep-4381/allocation-restricts-node"},
		Needs:      spec.Needs{Profile: profiles.TwoDevices(), Nodes: 2},
		KnownIssue: issues.Known("shared-claim"),
	},
	Before: func(t *harness.T, n *Notes) {
		class := t.CreateClass(nil)
		t.Create(objects.Claim("shared", objects.Request("req", class)))
		for _, name := range []string{"first", "second"} {
			t.RunPod(objects.Pod(name, t.Image, "shared"))
			n.note(t, name, "shared")
		}
	},
	After: func(t *harness.T, n *Notes, _ path.Step) { n.unchanged(t) },
	Anew: func(t *harness.T, n *Notes, step path.Step) {
		n.Round++
		third := fmt.Sprintf("third-%d", n.Round)
		node := n.Pods["first"].Node
		n.Restarted = n.Restarted || step.ChangesAt(path.Place{Component: path.Kubelet, Node: node})
		t.Create(objects.Pod(third, t.Image, "shared"))
		if t.WaitAllocated("shared").Status.Allocation.AllocationTimestamp == nil && mayNotJoin(t, third) {
			t.KnownIssue("expected pod %s to join the claim, and it cannot: the allocation has no timestamp", third)
			t.RemovePod(third)
			n.unchanged(t)
			return
		}
		pod := t.WaitRunning(third)
		t.Expect(pod.Spec.NodeName).To(gomega.Equal(node), "node of the third pod")
		t.Expect(t.WaitAllocated("shared").Status.ReservedFor).To(gomega.HaveLen(3), "consumers with the third pod")
		if n.Restarted {
			n.preparedAgain(t, "shared")
			n.Restarted = false
		}
		t.RemovePod(third)
		n.unchanged(t)
	},
	Restored: func(t *harness.T, n *Notes) { n.unchanged(t) },
	Gone: func(t *harness.T, _ *Notes) {
		t.RemovePod("first")
		simdriver.Of(t).ExpectCalls(spec.Unprepare, "shared", 0, "while the second pod runs")
		t.RemovePod("second")
		awaitUnprepared(t, "shared")
		t.WaitDeallocated("shared")
	},
}

// mayNotJoin reports whether the API server keeps the scheduler from adding a pod to its claim, as
// opposed to the pod failing to run. The message depends on the version ("field is immutable",
// "field cannot be modified once set"), the field does not.
func mayNotJoin(t *harness.T, pod string) bool {
	refused := false
	t.WaitPod(pod, "running, or kept from its claim", func(p *corev1.Pod) (bool, error) {
		refused = harness.Unschedulable(p, "is invalid: status.allocation")
		return refused || p.Status.Phase == corev1.PodRunning, nil
	})
	return refused
}
