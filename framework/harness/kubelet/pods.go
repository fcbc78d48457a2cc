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
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PodResources returns the devices of a pod in the podresources API of a node's kubelet.
func PodResources(t *harness.T, node, pod string) spec.PodResources {
	ginkgo.GinkgoHelper()
	t.Step("ask the kubelet's podresources API for pod %s", pod)
	found, err := podResources(t.Context(), t, node, pod)
	t.NoError(err, "ask the podresources API for pod %s", pod)
	return found
}

// AwaitPodResources waits until a restarted kubelet knows the pod, and returns its
// PodResources.
func AwaitPodResources(t *harness.T, node, pod string) (found spec.PodResources) {
	ginkgo.GinkgoHelper()
	t.Poll(fmt.Sprintf("the kubelet's podresources API to list pod %s", pod), func(ctx context.Context) (bool, string, error) {
		var err error
		found, err = podResources(ctx, t, node, pod)
		return len(found.List) > 0 && len(found.Get) > 0, fmt.Sprintf("%+v", found), err
	})
	return found
}

func podResources(ctx context.Context, t *harness.T, node, pod string) (spec.PodResources, error) {
	request := &agentapi.PodRequest{Node: node, Namespace: t.Namespace, Pod: pod}
	return agentapi.Decode[spec.PodResources](t.Env().Agents.GetPodResources(ctx, request))
}

// CDIDevices returns the qualified names of the CDI devices of a container, in the order of the
// container runtime.
func CDIDevices(t *harness.T, pod *corev1.Pod, container string) []string {
	ginkgo.GinkgoHelper()
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses, pod.Status.EphemeralContainerStatuses) {
		if s.Name == container && s.ContainerID != "" {
			found, err := t.Env().Agents.ListCDIDevices(t.Context(), &agentapi.ContainerRequest{Node: pod.Spec.NodeName, Container: s.ContainerID})
			t.NoError(err, "ask the container runtime for container %s of pod %s", container, pod.Name)
			return found.GetNames()
		}
	}
	t.Fatalf("container %s of pod %s has no ID: %s", container, pod.Name, describe.Pod(pod))
	return nil
}

// PodMemory returns the memory limit of the cgroup of a pod, in bytes.
func PodMemory(t *harness.T, pod *corev1.Pod) int64 {
	ginkgo.GinkgoHelper()
	memory, err := t.Env().Agents.GetPodMemory(t.Context(), &agentapi.PodMemoryRequest{Node: pod.Spec.NodeName, Uid: string(pod.UID)})
	t.NoError(err, "read the limit of memory of pod %s", pod.Name)
	return memory.GetBytes()
}

// StopSandbox stops the sandbox of a pod with all its containers.
func StopSandbox(t *harness.T, pod *corev1.Pod) {
	ginkgo.GinkgoHelper()
	t.Step("stop the sandbox of pod %s", pod.Name)
	_, err := t.Env().Agents.StopSandbox(t.Context(), &agentapi.PodRequest{Node: pod.Spec.NodeName, Namespace: pod.Namespace, Pod: pod.Name})
	t.NoError(err, "stop the sandbox of pod %s", pod.Name)
}
