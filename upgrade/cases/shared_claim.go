package cases

import (
	"fmt"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// SharedClaim has two pods share a claim all the time, and a third one now and then.
var SharedClaim = Case{
	Meta: spec.Meta{
		ID:       "upgrade/shared-claim",
		Checks:   "Two pods share a claim through every step, and after each step a third one joins them on the same node with the same device, and leaves.",
		Requires: []spec.RequirementID{"kep-4381/share-between-pods", "kep-4381/allocation-restricts-node"},
		Needs:    spec.Needs{Profile: profiles.TwoDevices(), Nodes: 2},
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
		pod := t.RunPod(objects.Pod(third, t.Image, "shared"))
		node := n.Pods["first"].Node
		t.Expect(pod.Spec.NodeName).To(gomega.Equal(node), "node of the third pod")
		t.Expect(t.WaitAllocated("shared").Status.ReservedFor).To(gomega.HaveLen(3), "consumers with the third pod")
		if step.Place == (path.Place{Component: path.Kubelet, Node: node}) {
			n.preparedAgain(t, "shared")
		}
		t.RemovePod(third)
		n.unchanged(t)
	},
	Restored: func(t *harness.T, n *Notes) { n.unchanged(t) },
	Gone: func(t *harness.T, _ *Notes) {
		t.RemovePod("first")
		t.Expect(t.Driver.Calls(spec.Unprepare, "shared")).To(gomega.BeEmpty(), "NodeUnprepareResources calls while the second pod runs")
		t.RemovePod("second")
		awaitUnprepared(t, "shared")
		t.WaitDeallocated("shared")
	},
}
