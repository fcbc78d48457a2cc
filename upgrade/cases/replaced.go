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
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/spec"
)

// drainedByOthers finds the nodes drained or replaced since the last check, checks for leftovers of their pods, and
// runs the next pods. A replaced or restarted node gets the driver again, as from the DaemonSet of an ordinary driver.
func drainedByOthers(t *harness.T, n *Notes) {
	takeNodes(t, n)
	var lost, drained []string
	for i, node := range t.Nodes {
		removed := !slices.ContainsFunc(t.Target().Nodes, func(o spec.Node) bool { return o.Name == node })
		switch {
		case !removed && !evictedFrom(t, n, node):
		case !removed && simdriver.Of(t).RunsOn(node):
			drained = append(drained, node)
		default: // the calls of the driver are lost with it
			forgetPod(t, n, node)
			if removed {
				t.Nodes[i] = successor(t, node)
			}
			lost = append(lost, t.Nodes[i])
		}
	}
	n.Nodes = t.Nodes
	simdriver.Of(t).StartAgain(lost...) // and no slice of a removed node may be left
	for _, node := range lost {
		runNext(t, n, node)
	}
	for _, node := range drained {
		evicted(t, n, node)
	}
}

// takeNodes takes the nodes of the last check: one may have replaced another since the case began.
func takeNodes(t *harness.T, n *Notes) {
	if len(n.Nodes) > 0 {
		t.Nodes = n.Nodes
	}
	t.Nodes = slices.Clone(t.Nodes)
}

// evictedFrom reports whether the pod of a node was deleted: other tools do not report which nodes they drain.
func evictedFrom(t *harness.T, n *Notes, node string) bool {
	name := n.podOn(node)
	pod, err := t.Client.CoreV1().Pods(t.Namespace).Get(t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return true
	}
	t.NoError(err, "look for pod %s", name)
	return pod.DeletionTimestamp != nil
}

// forgetPod waits until the pod of a lost node is gone and its claim deallocated.
func forgetPod(t *harness.T, n *Notes, node string) {
	name := n.podOn(node)
	t.WaitPodGone(name)
	t.WaitDeallocated(name)
	n.forget(name, name)
}

// successor returns a node to use instead of a removed one.
func successor(t *harness.T, removed string) string {
	for _, node := range t.Target().Workers() {
		if !slices.Contains(t.Nodes, node) {
			return node
		}
	}
	t.SetBlocked("no new worker node replaces " + removed)
	t.Fatalf("expected a new worker node instead of %s, got %v", removed, t.Target().Workers())
	return ""
}
