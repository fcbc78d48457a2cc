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

package whatif

import (
	"context"
	"encoding/json"

	"github.com/onsi/ginkgo/v2"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/spec"
)

// startup is the taint of starting nodes: only pods tolerating everything go there.
var startup = corev1.Taint{Key: "dra-conformance.github.io/starting", Effect: corev1.TaintEffectNoSchedule}

// removeStartup removes the taint startup from a node.
func removeStartup(t *harness.T, group spec.NodeGroup, name string) {
	ginkgo.GinkgoHelper()
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"taints": group.Node.Spec.Taints}})
	t.NoError(err, "write taints")
	t.Step("let pods go to node %s", name)
	_, err = t.Client.CoreV1().Nodes().Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{})
	t.NoError(err, "take the taint from node %s", name)
}

// agentOnAdded creates a DaemonSet for the case's added nodes; its pods have a claim of a template. It is deleted
// before the case's pods, as it would recreate them.
func agentOnAdded(t *harness.T, name, template string) {
	ginkgo.GinkgoHelper()
	labels := map[string]string{"app": name}
	pod := corev1.PodSpec{
		Containers:     []corev1.Container{{Name: "main", Image: t.Image, Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "claim"}}}}},
		ResourceClaims: []corev1.PodResourceClaim{{Name: "claim", ResourceClaimTemplateName: &template}},

		AutomountServiceAccountToken: ptr.To(false),
	}
	whatif.OnAdded(t, &pod)
	pod.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod},
	}}
	t.Create(set)
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) {
		err := await.Insist(ctx, "delete the DaemonSet", func(ctx context.Context) error {
			return t.Client.AppsV1().DaemonSets(t.Namespace).Delete(ctx, name, metav1.DeleteOptions{})
		})
		if err != nil {
			ginkgo.Fail(err.Error())
		}
	})
}
