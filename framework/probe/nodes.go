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

package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/spec"
)

// controlPlaneLabel is set by kubeadm and most other installers (kubernetes.io, "Well-Known Labels, Annotations and
// Taints").
const controlPlaneLabel = "node-role.kubernetes.io/control-plane"

func nodes(ctx context.Context, client kubernetes.Interface) ([]spec.Node, error) {
	list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	var found []spec.Node
	for _, n := range list.Items {
		info := n.Status.NodeInfo
		_, controlPlane := n.Labels[controlPlaneLabel]
		found = append(found, spec.Node{
			Name:        n.Name,
			Kubelet:     info.KubeletVersion,
			Runtime:     info.ContainerRuntimeVersion,
			OS:          info.OperatingSystem,
			Arch:        info.Architecture,
			Kernel:      info.KernelVersion,
			Simulated:   simulated(n),
			Schedulable: schedulable(n), ControlPlane: controlPlane,
		})
	}
	slices.SortFunc(found, func(a, b spec.Node) int { return strings.Compare(a.Name, b.Name) })
	return found, nil
}

// simulated is whether kwok plays the node's kubelet.
func simulated(n corev1.Node) bool { return n.Annotations["kwok.x-k8s.io/node"] == "fake" }

// schedulable reports whether a pod without tolerations can run on the node.
func schedulable(n corev1.Node) bool {
	ready := slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
	tainted := slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	})
	return ready && !tainted && !n.Spec.Unschedulable
}

// system returns the pods of kube-system by component; empty without permission.
func system(ctx context.Context, client kubernetes.Interface) map[string][]corev1.Pod {
	pods, err := client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil
	}
	found := map[string][]corev1.Pod{}
	for _, pod := range pods.Items {
		name := pod.Labels["component"]
		if pod.Labels["k8s-app"] == "kube-proxy" {
			name = "kube-proxy"
		}
		if name != "" && len(pod.Spec.Containers) > 0 {
			found[name] = append(found[name], pod)
		}
	}
	return found
}

// components returns the control plane components running as pods of kube-system, as with kubeadm and kind, with the
// version of their image. Others are missing.
func components(pods map[string][]corev1.Pod) map[string]string {
	if pods == nil {
		return nil
	}
	found := map[string]string{}
	for name, of := range pods {
		found[name] = imageVersion(of[len(of)-1].Spec.Containers[0].Image)
	}
	return found
}

// noVersion is the version of an image without a tag.
const noVersion = "unknown"

// imageVersion is the tag of an image reference, or noVersion.
func imageVersion(image string) string {
	image, _, _ = strings.Cut(image, "@")
	colon := strings.LastIndex(image, ":")
	if colon < strings.LastIndex(image, "/") || colon < 0 {
		return noVersion
	}
	return image[colon+1:]
}
