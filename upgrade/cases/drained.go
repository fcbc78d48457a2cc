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
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// Drained runs a pod with a claim on each node, evicted when the node is drained. Pods on other
// nodes keep running.
var Drained = Case{
	Meta: spec.Meta{
		ID:       "upgrade/drained",
		Checks:   "The old kubelet unprepares an evicted pod's claim once, and the new one prepares the device for the next pod.",
		Requires: []spec.RequirementID{"kep-4381/unprepare-after-last", "kep-4381/deallocate-after-last", "kep-4381/prepare-before-start"},
		Needs:    spec.Needs{Profile: profiles.OneDevice(), Nodes: 2},
	},
	Drained: true,
	Before: func(t *harness.T, n *Notes) {
		t.CreateClass(nil)
		for _, node := range t.Nodes {
			runNext(t, n, node)
		}
	},
	After: func(t *harness.T, n *Notes, step path.Step) {
		switch {
		case step.Others:
			drainedByOthers(t, n)
		case step.Drain:
			evicted(t, n, step.Place.Node)
		}
		n.unchanged(t)
	},
	Gone: func(t *harness.T, n *Notes) {
		takeNodes(t, n)
		for name := range n.Pods {
			t.RemovePod(name)
			awaitUnprepared(t, name)
			t.WaitDeallocated(name)
		}
	},
}

func runNext(t *harness.T, n *Notes, node string) {
	n.Round++
	name := fmt.Sprintf("pod-%d", n.Round)
	t.Create(objects.Claim(name, objects.Request("req", t.DriverName())))
	t.RunPod(objects.OnlyOn(objects.Pod(name, t.Image, name), node))
	n.note(t, name, name)
}

// evicted checks for leftovers of a drained node's pod, and runs the next one.
func evicted(t *harness.T, n *Notes, node string) {
	name := n.podOn(node)
	t.WaitPodGone(name)
	awaitUnprepared(t, name)
	simdriver.Of(t).ExpectCalls(spec.Unprepare, name, 1, "")
	t.WaitDeallocated(name)
	n.forget(name, name)
	runNext(t, n, node)
}

// podOn returns the noted pod of a node.
func (n *Notes) podOn(node string) string {
	for name, pod := range n.Pods {
		if pod.Node == node {
			return name
		}
	}
	return ""
}
