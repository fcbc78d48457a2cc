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

package kubelet

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CreateStaticPod writes the manifest of a static pod for the kubelet of a node, and removes it when
// the case ends. The name of the pod in the API ends with the name of the node.
func CreateStaticPod(t *harness.T, node string, pod *corev1.Pod) {
	ginkgo.GinkgoHelper()
	t.Step("write the manifest of static pod %s on %s", pod.Name, node)
	file := &agentapi.StaticPod{Node: node, Dir: staticPodPath(t, node), Name: t.Namespace + "-" + pod.Name}
	pod.Namespace = t.Namespace
	metav1.SetMetaDataLabel(&pod.ObjectMeta, spec.LabelManagedBy, spec.ManagedBy)
	pod.Kind, pod.APIVersion = "Pod", "v1"
	t.OnRestore(func(ctx context.Context) error {
		return await.Insist(ctx, "remove static pod "+file.Name, func(ctx context.Context) error {
			_, err := t.Env().Agents.RemoveStaticPod(ctx, file)
			return err
		})
	})
	file.Json = agentapi.Encode(pod)
	_, err := t.Env().Agents.PutStaticPod(t.Context(), file)
	t.NoError(err, "write static pod %s", pod.Name)
}

// staticPodPath is the directory of static pods in the configuration of a kubelet.
func staticPodPath(t *harness.T, node string) string {
	ginkgo.GinkgoHelper()
	content, err := t.Client.CoreV1().RESTClient().Get().Resource("nodes").Name(node).SubResource("proxy").Suffix("configz").DoRaw(t.Context())
	t.NoError(err, "ask the kubelet of %s for its configuration", node)
	dir, err := staticPodPathIn(content)
	t.NoError(err, "find where the kubelet of %s looks for static pods", node)
	if dir == "" {
		t.Blockedf("the kubelet of %s looks for static pods in no directory", node)
	}
	return dir
}

// staticPodPathIn reads the directory from the kubelet's response at /configz.
func staticPodPathIn(configz []byte) (string, error) {
	var answer struct {
		Kubelet struct {
			StaticPodPath string `json:"staticPodPath"`
		} `json:"kubeletconfig"`
	}
	if err := json.Unmarshal(configz, &answer); err != nil {
		return "", fmt.Errorf("read configz: %w", err)
	}
	return answer.Kubelet.StaticPodPath, nil
}
