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

package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"google.golang.org/protobuf/types/known/durationpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/metrics"
)

// LoseCheckpoint has the kubelet of a node lose what it remembers of claims while it is
// down, and returns once it answers again.
func (t *T) LoseCheckpoint(node string) {
	ginkgo.GinkgoHelper()
	t.Step("stop the kubelet of %s, remove its checkpoint of claims, and start it", node)
	t.blockWhereOthersHaveClaims(node)
	t.renewKubelet(node, await.Patience, func() error {
		_, err := t.env.Agents.RemoveCheckpoint(t.ctx, &agentapi.NodeRequest{Node: node})
		return err
	})
}

// kubeletDown is how long a kubelet is stopped for WhileKubeletDown: a node is not ready any
// more after 50 s without its kubelet, and 40 s before Kubernetes 1.32.
const kubeletDown = 15 * time.Second

// WhileKubeletDown does something after the kubelet of a node was stopped and before it starts
// again, which is 15 s later. It returns once the new one answers, and when that was started, by
// the clock of the node and give or take a second: what is earlier is of the old kubelet. Agents
// and drivers of the node cannot be reached meanwhile.
func (t *T) WhileKubeletDown(node string, do func()) (started time.Time) {
	ginkgo.GinkgoHelper()
	t.Step("stop the kubelet of %s, and start it again %s later", node, kubeletDown)
	return t.renewKubelet(node, kubeletDown+await.Patience, func() error {
		if _, err := t.env.Agents.StopKubelet(t.ctx, &agentapi.StopKubeletRequest{Node: node, Pause: durationpb.New(kubeletDown)}); err != nil {
			return err
		}
		stopped := time.Now()
		t.Poll("the kubelet of "+node+" not to answer", func(ctx context.Context) (bool, string, error) {
			if _, err := metrics.Kubelet(ctx, t.Client, node); err != nil {
				return true, err.Error(), nil
			}
			return false, "it answers", nil
		})
		do()
		if took := time.Since(stopped); took > kubeletDown {
			t.Blockedf("what was to happen while the kubelet of %s was down took %s", node, took)
		}
		return nil
	})
}

// blockWhereOthersHaveClaims ends the case if pods of others on a node have claims: a kubelet
// that does not remember them may never have them unprepared.
func (t *T) blockWhereOthersHaveClaims(node string) {
	ginkgo.GinkgoHelper()
	list, err := t.Client.CoreV1().Pods(metav1.NamespaceAll).List(t.ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String()})
	t.NoError(err, "list the pods on %s", node)
	for _, p := range list.Items {
		if p.Namespace != t.Namespace && len(p.Spec.ResourceClaims) > 0 {
			t.Blockedf("pod %s/%s on %s has claims, which the kubelet would forget", p.Namespace, p.Name, node)
		}
	}
}

// StopSandbox stops the sandbox of a pod of the case with all that runs in it.
func (t *T) StopSandbox(pod *corev1.Pod) {
	ginkgo.GinkgoHelper()
	t.Step("stop the sandbox of pod %s", pod.Name)
	_, err := t.env.Agents.StopSandbox(t.ctx, &agentapi.PodRequest{Node: pod.Spec.NodeName, Namespace: pod.Namespace, Pod: pod.Name})
	t.NoError(err, "stop the sandbox of pod %s", pod.Name)
}

// CreateStaticPod writes a pod's manifest where the kubelet of a node looks for static pods;
// its name there ends with that of the node, and it is gone when the case ends.
func (t *T) CreateStaticPod(node string, pod *corev1.Pod) {
	ginkgo.GinkgoHelper()
	t.Step("write the manifest of static pod %s on %s", pod.Name, node)
	file := &agentapi.StaticPod{Node: node, Dir: t.staticPodPath(node), Name: t.Namespace + "-" + pod.Name}
	t.own(pod)
	pod.Kind, pod.APIVersion = "Pod", "v1"
	t.OnRestore(func(ctx context.Context) error {
		return await.Insist(ctx, "remove static pod "+file.Name, func(ctx context.Context) error {
			_, err := t.env.Agents.RemoveStaticPod(ctx, file)
			return err
		})
	})
	file.Json = agentapi.Encode(pod)
	_, err := t.env.Agents.PutStaticPod(t.ctx, file)
	t.NoError(err, "write static pod %s", pod.Name)
}

// staticPodPath is where the kubelet of a node looks for static pods, as it says itself.
func (t *T) staticPodPath(node string) string {
	ginkgo.GinkgoHelper()
	content, err := t.Client.CoreV1().RESTClient().Get().Resource("nodes").Name(node).SubResource("proxy").Suffix("configz").DoRaw(t.ctx)
	t.NoError(err, "ask the kubelet of %s for its configuration", node)
	dir, err := staticPodPathIn(content)
	t.NoError(err, "find where the kubelet of %s looks for static pods", node)
	if dir == "" {
		t.Blockedf("the kubelet of %s looks for static pods in no directory", node)
	}
	return dir
}

// staticPodPathIn reads it from a kubelet's answer at /configz.
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
