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
	"fmt"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/metrics"
	"github.com/dra-conformance/dratest/framework/spec"
)

// kubeletStarted is the metric by which one kubelet is told from the next.
const kubeletStarted = "process_start_time_seconds"

// RestartKubelet restarts the kubelet of a node and returns once the new one answers.
// It knows no driver then, perhaps.
func (t *T) RestartKubelet(node string) {
	ginkgo.GinkgoHelper()
	t.Step("restart the kubelet of %s", node)
	t.renewKubelet(node, await.Patience, func() error {
		_, err := t.env.Agents.RestartKubelet(t.ctx, &agentapi.NodeRequest{Node: node})
		return err
	})
}

// renewKubelet does something that ends the kubelet of a node and starts it, and waits until
// the new one answers; with patience it may do so only after a time. It returns when the new one
// was started, by the clock of the node and give or take a second.
func (t *T) renewKubelet(node string, patience time.Duration, renew func() error) (started time.Time) {
	ginkgo.GinkgoHelper()
	before, _ := t.KubeletMetric(node, kubeletStarted, nil)
	t.NoError(renew(), "restart kubelet")
	t.PollPatiently(fmt.Sprintf("the new kubelet of %s to answer", node), patience, func(ctx context.Context) (bool, string, error) {
		families, err := metrics.Kubelet(ctx, t.Client, node)
		if err != nil {
			return false, "", err
		}
		now, found := metrics.Value(families[kubeletStarted], nil)
		started = time.UnixMilli(int64(now * 1000))
		return found && now > before, fmt.Sprintf("a kubelet that started at %.0f, the old one had at %.0f", now, before), nil
	})
	return started
}

// KubeletMetric is a gauge, a counter, or the count of a histogram, of a node's kubelet: the sum
// of all that have these labels, and whether there are any.
func (t *T) KubeletMetric(node, name string, labels map[string]string) (value float64, found bool) {
	ginkgo.GinkgoHelper()
	t.Poll(fmt.Sprintf("metrics of the kubelet of %s", node), func(ctx context.Context) (bool, string, error) {
		families, err := metrics.Kubelet(ctx, t.Client, node)
		if err != nil {
			return false, "", err
		}
		value, found = metrics.Value(families[name], labels)
		if !found {
			return true, "no " + metrics.Describe(name, labels), nil
		}
		return true, fmt.Sprintf("%s is %g", metrics.Describe(name, labels), value), nil
	})
	return value, found
}

// PodResources is what the kubelet of the case's first node tells other programs on
// it of the devices of a pod.
func (t *T) PodResources(pod string) spec.PodResources {
	ginkgo.GinkgoHelper()
	t.Step("ask the kubelet's podresources API for pod %s", pod)
	found, err := t.podResources(t.ctx, t.Nodes[0], t.Namespace, pod)
	t.NoError(err, "ask the podresources API")
	return found
}

// AwaitPodResources is PodResources once the kubelet, which has just started, knows the pod.
func (t *T) AwaitPodResources(pod string) (found spec.PodResources) {
	ginkgo.GinkgoHelper()
	t.Poll(fmt.Sprintf("the kubelet's podresources API to tell of pod %s", pod), func(ctx context.Context) (bool, string, error) {
		var err error
		found, err = t.podResources(ctx, t.Nodes[0], t.Namespace, pod)
		return len(found.List) > 0 && len(found.Get) > 0, fmt.Sprintf("%+v", found), err
	})
	return found
}

func (t *T) podResources(ctx context.Context, node, namespace, pod string) (spec.PodResources, error) {
	return agentapi.Decode[spec.PodResources](t.env.Agents.GetPodResources(ctx, &agentapi.PodRequest{Node: node, Namespace: namespace, Pod: pod}))
}

// CDIDevices are the fully qualified CDI names that the container runtime has for a
// container of a pod, in its order.
func (t *T) CDIDevices(pod *corev1.Pod, container string) []string {
	ginkgo.GinkgoHelper()
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses, pod.Status.EphemeralContainerStatuses) {
		if s.Name == container && s.ContainerID != "" {
			found, err := t.env.Agents.ListCDIDevices(t.ctx, &agentapi.ContainerRequest{Node: pod.Spec.NodeName, Container: s.ContainerID})
			t.NoError(err, "ask the container runtime for container %s of pod %s", container, pod.Name)
			return found.GetNames()
		}
	}
	t.Fatalf("container %s of pod %s has no ID: %s", container, pod.Name, describe.Pod(pod))
	return nil
}

// PodMemory is how many bytes of memory the cgroup of a pod allows.
func (t *T) PodMemory(pod *corev1.Pod) int64 {
	ginkgo.GinkgoHelper()
	memory, err := t.env.Agents.GetPodMemory(t.ctx, &agentapi.PodMemoryRequest{Node: pod.Spec.NodeName, Uid: string(pod.UID)})
	t.NoError(err, "read the limit of memory of pod %s", pod.Name)
	return memory.GetBytes()
}

// checkpoint is the name of a kubelet's checkpoint for DRA.
const checkpoint = "dra_manager_state"

// KubeletCheckpoint is the file in which the kubelet of a node keeps what it has
// prepared for DRA.
func (t *T) KubeletCheckpoint(node string) []byte {
	ginkgo.GinkgoHelper()
	files, err := agentapi.ReadEvidence(t.ctx, t.env.Agents, node, time.Now())
	content, ok := files[checkpoint]
	if !ok {
		t.Fatalf("read the kubelet's checkpoint on %s: %v", node, err)
	}
	return content
}
