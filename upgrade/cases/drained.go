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

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
		for _, node := range t.Nodes {
			if step.Drain && node == step.Place.Node || step.Others && goneFrom(t, n, node) {
				evicted(t, n, node)
			}
		}
		n.unchanged(t)
	},
	Gone: func(t *harness.T, n *Notes) {
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

// goneFrom reports whether the pod of a node was deleted: others do not report which nodes they drain.
func goneFrom(t *harness.T, n *Notes, node string) bool {
	for name, pod := range n.Pods {
		if pod.Node != node {
			continue
		}
		now, err := t.Client.CoreV1().Pods(t.Namespace).Get(t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true
		}
		t.NoError(err, "look for pod %s", name)
		return now.DeletionTimestamp != nil
	}
	return false
}

// evicted checks for leftovers of a drained node's pod, and runs the next one.
func evicted(t *harness.T, n *Notes, node string) {
	for name, pod := range n.Pods {
		if pod.Node != node {
			continue
		}
		t.WaitPodGone(name)
		awaitUnprepared(t, name)
		simdriver.Of(t).ExpectCalls(spec.Unprepare, name, 1, "")
		t.WaitDeallocated(name)
		n.forget(name, name)
		runNext(t, n, node)
		return
	}
}
