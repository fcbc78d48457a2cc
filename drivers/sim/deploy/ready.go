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

package deploy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/kube"
)

const interval = 200 * time.Millisecond

// ErrNotReady: an agent does not come up on a node.
var ErrNotReady = errors.New("dra-sim is not ready")

// WaitReady returns once the agents on the given nodes are ready and run the latest installation. It fails at once if
// an image is missing; errors name each node and its agent's state.
func WaitReady(ctx context.Context, client kubernetes.Interface, nodes []string) error {
	var problems []string
	err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		daemonSet, err := client.AppsV1().DaemonSets(Namespace).Get(ctx, Name, metav1.GetOptions{})
		if err != nil {
			return false, fmt.Errorf("get daemon set: %w", err)
		}
		pods, err := client.CoreV1().Pods(Namespace).List(ctx, metav1.ListOptions{LabelSelector: LabelName + "=" + Name})
		if err != nil {
			return false, fmt.Errorf("list agents: %w", err)
		}
		if daemonSet.Status.ObservedGeneration < daemonSet.Generation {
			problems = []string{"the DaemonSet controller has not seen the update"}
			return false, nil
		}
		var hopeless bool
		problems, hopeless = check(nodes, pods.Items, daemonSet.Spec.Template.Spec.Containers[0].Image)
		if hopeless {
			return false, ErrNotReady
		}
		return len(problems) == 0, nil
	})
	if err != nil && len(problems) > 0 {
		return fmt.Errorf("wait for agents: %w: %s", err, strings.Join(problems, "; "))
	}
	if err != nil {
		return fmt.Errorf("wait for agents: %w", err)
	}
	return nil
}

// check returns what keeps agents from being ready, one line per node, and whether waiting is hopeless.
func check(nodes []string, pods []corev1.Pod, image string) (problems []string, hopeless bool) {
	for _, node := range slices.Sorted(slices.Values(nodes)) {
		i := slices.IndexFunc(pods, func(pod corev1.Pod) bool {
			return pod.Spec.NodeName == node && pod.DeletionTimestamp == nil && pod.Spec.Containers[0].Image == image
		})
		if i < 0 {
			problems = append(problems, node+": no pod yet")
			continue
		}
		if kube.PodReady(&pods[i]) {
			continue
		}
		problem, missing := waitsFor(pods[i])
		problems = append(problems, node+": "+problem)
		hopeless = hopeless || missing
	}
	return problems, hopeless
}

func waitsFor(pod corev1.Pod) (problem string, imageMissing bool) {
	for _, status := range pod.Status.ContainerStatuses {
		waiting := status.State.Waiting
		if waiting == nil {
			continue
		}
		switch waiting.Reason {
		case "ErrImageNeverPull", "ImagePullBackOff", "InvalidImageName":
			return fmt.Sprintf("image %s is not on the node and can not be pulled (%s); load it into the node", status.Image, waiting.Message), true
		default:
			return fmt.Sprintf("container waits: %s %s", waiting.Reason, waiting.Message), false
		}
	}
	return "pod is " + string(pod.Status.Phase) + " and not ready", false
}

// Pod returns the name of the running agent's pod on a node. Errors: ErrNotReady if there is none.
func Pod(ctx context.Context, client kubernetes.Interface, node string) (string, error) {
	pods, err := client.CoreV1().Pods(Namespace).List(ctx, metav1.ListOptions{
		LabelSelector: LabelName + "=" + Name,
		FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String(),
	})
	if err != nil {
		return "", fmt.Errorf("list agents: %w", err)
	}
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning {
			return pod.Name, nil
		}
	}
	return "", fmt.Errorf("%w on node %s: install it first", ErrNotReady, node)
}
