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
	"slices"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// KubeletDown deletes two pods per node while its kubelet is down, one of them by force.
var KubeletDown = Case{
	Meta: spec.Meta{
		ID:       "upgrade/kubelet-down",
		Checks:   "Claims of pods deleted while the kubelet is down are unprepared once after its start, and nothing stays.",
		Requires: []spec.RequirementID{"kep-4381/unprepare-after-last", "kep-4381/unprepare-force-deleted", "kep-4381/deallocate-after-last"},
		Needs:    spec.Needs{Profile: profiles.TwoDevices(), Nodes: 2},
	},
	Before: func(t *harness.T, n *Notes) {
		t.CreateClass(nil)
		for _, node := range t.Nodes {
			makeBoth(t, n, node)
		}
	},
	Down: func(t *harness.T, n *Notes, step path.Step) {
		if !slices.Contains(t.Nodes, step.Place.Node) || n.ended(both(n, step.Place.Node)[0]) {
			return
		}
		// Graceful termination needs a kubelet.
		for i, name := range both(n, step.Place.Node) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: t.Namespace}}
			if i == 0 {
				t.Delete(pod)
			} else {
				t.Delete(pod, harness.GracePeriod(0))
				t.WaitPodGone(name)
			}
			n.leave(name)
		}
	},
	After: func(t *harness.T, n *Notes, step path.Step) {
		n.unchanged(t)
		if step.Place.Component == path.Kubelet && slices.Contains(t.Nodes, step.Place.Node) {
			if name := both(n, step.Place.Node)[0]; n.ended(name) {
				t.WaitPodGone(name)
			}
			return
		}
		unpreparedOnce(t, n)
		for _, node := range t.Nodes {
			if n.ended(both(n, node)[0]) {
				makeBoth(t, n, node)
			}
		}
	},
	Gone: func(t *harness.T, n *Notes) {
		unpreparedOnce(t, n)
		for name := range n.Pods {
			end(t, name)
		}
		t.Driver.AwaitUnprepared()
	},
}

// ended reports whether a pod is no longer noted.
func (n *Notes) ended(pod string) bool {
	_, ok := n.Pods[pod]
	return !ok
}

// leave moves a deleted pod's claim to the claims still to be unprepared.
func (n *Notes) leave(name string) {
	if n.Left == nil {
		n.Left = map[string]types.UID{}
	}
	n.Left[name] = n.Claims[name].UID
	n.forget(name, name)
}

// unpreparedOnce checks the claims of pods deleted while the kubelet was down. A kubelet without
// the pod looks for such claims once a minute (k8s.io/kubernetes v1.37.1,
// pkg/kubelet/cm/dra/manager.go, reconcileLoop). The case waits for it after the kubelets of all
// nodes, and then creates new pods.
func unpreparedOnce(t *harness.T, n *Notes) {
	for name := range n.Left {
		awaitUnprepared(t, name)
		t.WaitDeallocated(name)
		deleteClaim(t, name)
		simdriver.Of(t).ExpectCalls(spec.Unprepare, name, 1, "")
	}
	for _, node := range t.Nodes {
		prepared := kubelet.Prepared(t, node)
		for name, uid := range n.Left {
			t.Expect(prepared).NotTo(gomega.ContainElement(uid), "checkpoint on %s after claim %s is unprepared", node, name)
		}
	}
	n.Left = nil
}

// both returns the names of a node's pods and claims, the gracefully deleted one first.
func both(n *Notes, node string) []string {
	round := n.Rounds[node]
	return []string{fmt.Sprintf("deleted-%s-%d", node, round), fmt.Sprintf("forced-%s-%d", node, round)}
}

func makeBoth(t *harness.T, n *Notes, node string) {
	n.next(node)
	for _, name := range both(n, node) {
		t.Create(objects.Claim(name, objects.Request("req", t.DriverName())))
		t.RunPod(objects.OnlyOn(objects.Pod(name, t.Image, name), node))
		n.note(t, name, name)
	}
}
