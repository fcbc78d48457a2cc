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
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/sim/evidence"
	"github.com/dra-conformance/dratest/framework/limit"
)

// nodePodTime bounds a pod reading its node.
const nodePodTime = 2 * time.Minute

// maxOutput is the size limit of a pod's output, in bytes: one line of encoded evidence and a few messages.
const maxOutput = 128 << 20

// NodePods reads nodes without an agent: with a privileged, short-lived pod on each, in a namespace of their own.
type NodePods struct {
	client    kubernetes.Interface
	config    Config
	namespace string
}

// NewNodePods makes the namespace. Close must be called.
func NewNodePods(ctx context.Context, client kubernetes.Interface, config Config) (*NodePods, error) {
	n := namespace(config)
	n.Name, n.GenerateName = "", "dratest-gather-"
	made, err := client.CoreV1().Namespaces().Create(ctx, n, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create a namespace for pods reading nodes: %w", err)
	}
	return &NodePods{client, config.withDefaults(), made.Name}, nil
}

// Close deletes the namespace with its pods, without waiting.
func (n *NodePods) Close(ctx context.Context) error {
	if err := n.client.CoreV1().Namespaces().Delete(ctx, n.namespace, metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("remove the namespace of pods reading nodes: %w", err)
	}
	return nil
}

// Evidence is as agentapi.ReadEvidence.
func (n *NodePods) Evidence(ctx context.Context, node string, since time.Time) (map[string][]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, nodePodTime, fmt.Errorf("the pod has not ended after %s", nodePodTime))
	defer cancel()
	pods := n.client.CoreV1().Pods(n.namespace)
	pod, err := pods.Create(ctx, n.pod(node, since), metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create a pod to read it: %w", err)
	}
	seen := ""
	err = wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		now, err := pods.Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil {
			return false, fmt.Errorf("get the pod reading it: %w", err)
		}
		var hopeless bool
		seen, hopeless = stateOf(now)
		if hopeless {
			return false, errors.New("the pod cannot start")
		}
		return now.Status.Phase == corev1.PodSucceeded || now.Status.Phase == corev1.PodFailed, nil
	})
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("%w: %s", err, seen)
	}
	stream, err := pods.GetLogs(pod.Name, &corev1.PodLogOptions{}).Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the output of the pod: %w", err)
	}
	defer func() { _ = stream.Close() }()
	log, err := limit.ReadAll(stream, maxOutput)
	if err != nil {
		return nil, fmt.Errorf("read the output of the pod: %w", err)
	}
	found, err := evidence.Unpack(log)
	if len(found.GetMissing()) > 0 {
		err = errors.New(strings.Join(found.Missing, "; "))
	}
	return found.GetFiles(), err
}

func stateOf(p *corev1.Pod) (state string, hopeless bool) {
	state = "phase " + string(p.Status.Phase)
	for _, s := range p.Status.ContainerStatuses {
		if w := s.State.Waiting; w != nil {
			hopeless := []string{"ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName", "CreateContainerError", "CreateContainerConfigError", "RunContainerError"}
			return fmt.Sprintf("image %s: %s: %s", s.Image, w.Reason, w.Message), slices.Contains(hopeless, w.Reason)
		}
	}
	return strings.TrimSpace(state + " " + p.Status.Reason + " " + p.Status.Message), p.Status.Phase == corev1.PodFailed && p.Status.Reason != ""
}

// pod reads a node and exits. It needs the node's PID namespace and privileges for the same reasons as the agent, and
// no API permissions.
func (n *NodePods) pod(node string, since time.Time) *corev1.Pod {
	m := meta("")
	m.GenerateName = "read-"
	return &corev1.Pod{ObjectMeta: m, Spec: corev1.PodSpec{
		NodeName: node, HostPID: true, RestartPolicy: corev1.RestartPolicyNever, AutomountServiceAccountToken: ptr.To(false),
		TerminationGracePeriodSeconds: ptr.To[int64](1),
		Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
		Containers: []corev1.Container{{
			Name: "read", Image: n.config.Image, ImagePullPolicy: corev1.PullIfNotPresent,
			Command:         []string{Program, "evidence", "--kubelet-root=" + n.config.KubeletRoot, "--since=" + since.UTC().Format(time.RFC3339)},
			SecurityContext: &corev1.SecurityContext{Privileged: ptr.To(true)},
		}},
	}}
}
