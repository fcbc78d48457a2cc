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

package change

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// configHash is the annotation with the UID of a static pod, also in its mirror pod (k8s.io/kubernetes v1.37.1
// pkg/kubelet/types/pod_update.go).
const configHash = "kubernetes.io/config.hash"

// awaitStaticPods waits until a node's static pods are those of its kubelet. A kubelet of another minor version
// restarts them all, the API server too, after it has become ready: their UID is a hash over all pod fields of its
// version (pkg/kubelet/config/common.go:69).
func (c Cluster) awaitStaticPods(ctx context.Context, step path.Step) error {
	err := c.await(ctx, step, func(ctx context.Context) (string, error) { return c.staticPodsReport(ctx, step.Place.Node) })
	if err != nil {
		return err
	}
	return c.awaitService(ctx, step)
}

// staticPodsReport compares the static pods of a node's kubelet with the mirror pods in the API server.
func (c Cluster) staticPodsReport(ctx context.Context, node string) (waiting string, err error) {
	raw, err := c.Client.CoreV1().RESTClient().Get().Resource("nodes").Name(node).SubResource("proxy").Suffix("pods").Do(ctx).Raw()
	if err != nil {
		return "", err
	}
	var wanted corev1.PodList
	if err := json.Unmarshal(raw, &wanted); err != nil {
		return "", fmt.Errorf("read the kubelet's pods: %w", err)
	}
	hashes := map[string]string{}
	for _, pod := range wanted.Items {
		if pod.Annotations["kubernetes.io/config.source"] == "file" {
			hashes[pod.Name] = pod.Annotations[configHash]
		}
	}
	shown, err := c.Client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String()})
	if err != nil {
		return "", err
	}
	for _, pod := range shown.Items {
		if _, static := pod.Annotations[corev1.MirrorPodAnnotationKey]; !static {
			continue
		}
		if pod.Annotations[configHash] != hashes[pod.Name] || !kube.PodReady(&pod) {
			return "static pod " + pod.Name + " is not ready, or the one from before", nil
		}
		delete(hashes, pod.Name)
	}
	for name := range hashes {
		return "static pod " + name + " is not shown", nil
	}
	return "", nil
}
