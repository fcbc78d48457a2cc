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

package claims

import (
	"slices"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OutOfService taints a lost node as out of service, like an administrator.
var OutOfService = harness.Case{Meta: spec.Meta{
	ID:            "claims/out-of-service",
	Checks:        "The out-of-service taint on a node that is not ready deletes its pod and deallocates the claim.",
	Requires:      []spec.RequirementID{"kep-4381/out-of-service-deallocates"},
	Needs:         spec.Needs{NoKubelet: true, Alone: true},
	WaitsFor:      "kube-controller-manager checks for pods of out-of-service nodes every 20 s (pkg/controller/podgc/gc_controller.go:56).",
	SerialBecause: "It creates a node that never becomes ready.",
}, Run: func(t *harness.T) {
	class := devices(t, "", 1)
	node := &corev1.Node{ // never Ready
		ObjectMeta: metav1.ObjectMeta{Name: t.Namespace},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: "NeverThere"}}},
	}
	t.Create(node)
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.NodeName = node.Name
	t.Create(pod)
	allocated(t, "claim", class, objects.Consumer(pod))
	t.Create(objects.Claim("next", objects.Request("req", class)), objects.Pod("next", t.Image, "next"))
	t.WaitUnschedulable("next", "cannot allocate all claims")

	_, err := t.Client.CoreV1().Nodes().Patch(t.Context(), node.Name, types.StrategicMergePatchType,
		[]byte(`{"spec":{"taints":[{"key":"`+corev1.TaintNodeOutOfService+`","value":"nodeshutdown","effect":"NoExecute"}]}}`), metav1.PatchOptions{})
	t.NoError(err, "taint the node as out of service")
	t.WaitPodGone("pod")
	there, err := t.Client.CoreV1().Nodes().Get(t.Context(), node.Name, metav1.GetOptions{})
	tainted := err == nil && slices.ContainsFunc(there.Spec.Taints, func(x corev1.Taint) bool { return x.Key == corev1.TaintNodeOutOfService })
	if !tainted {
		t.Blockedf("somebody else, as a cloud-controller-manager does, has removed node %s or its taint, and so its pods: %v", node.Name, err)
	}
	t.WaitScheduled("next")
	t.Expect(t.Claim("claim").Status.Allocation).To(gomega.BeNil(), "allocation of the pod's claim")
}}
