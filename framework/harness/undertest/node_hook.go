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

package undertest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// nodeRoot is where the pod of a hook mounts the node's root directory.
const nodeRoot = "/node"

// runOnNode runs a hook as root on the node in its environment, and returns its output. Errors
// include the output. Its privileged pod is beside the agents: the case's namespace may forbid it.
func (d *Driver) runOnNode(ctx context.Context, name spec.HookName, h spec.Hook, environment []string) (said string, err error) {
	t := d.t
	ctx, cancel := context.WithTimeoutCause(ctx, h.Timeout, fmt.Errorf("it did not finish within %s: check what it waits for, or increase hooks.%s.timeout", h.Timeout, name))
	defer cancel()
	pod, err := t.Client.CoreV1().Pods(spec.SystemNamespace).Create(ctx, nodeHookPod(t.Env().Image, name, h.Command, environment), metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("hook %s: make its pod: %w", name, err)
	}
	// It may not go on beside what undoes it.
	defer func() { err = errors.Join(err, d.endHook(context.WithoutCancel(ctx), pod.Name)) }()
	err = await.Follow(ctx, await.Pod(t.Client, pod.Namespace, pod.Name), func(p *corev1.Pod) (bool, error) {
		pod = p
		return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed, nil
	})
	log, unread := harness.ReadLog(context.WithoutCancel(ctx), t.Client, pod.Namespace, pod.Name, corev1.PodLogOptions{})
	said = strings.TrimSpace(string(log))
	switch {
	case err != nil:
		return said, fmt.Errorf("hook %s on node %s: %w; its pod: %s; it said: %s", name, pod.Spec.NodeName, err, describe.Pod(pod), said)
	case pod.Status.Phase == corev1.PodFailed:
		return said, fmt.Errorf("hook %s on node %s failed: %s", name, pod.Spec.NodeName, said)
	case unread != nil:
		return said, fmt.Errorf("hook %s on node %s: read its output: %w", name, pod.Spec.NodeName, unread)
	}
	return said, nil
}

// nodeHookPod runs a command in the root directory of the node named by $DRATEST_NODE.
func nodeHookPod(image string, name spec.HookName, command, environment []string) *corev1.Pod {
	pod := objects.Pod("", image)
	pod.Labels = map[string]string{spec.LabelManagedBy: spec.ManagedBy}
	pod.GenerateName = "hook-" + strings.ToLower(string(name)) + "-"
	pod.Spec.HostPID = true
	pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	pod.Spec.Volumes = []corev1.Volume{{Name: "node", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}}}
	main := &pod.Spec.Containers[0]
	main.Command = append([]string{"chroot", nodeRoot}, command...)
	main.SecurityContext = &corev1.SecurityContext{Privileged: ptr.To(true)}
	main.VolumeMounts = []corev1.VolumeMount{{Name: "node", MountPath: nodeRoot}}
	for _, variable := range environment {
		key, value, _ := strings.Cut(variable, "=")
		main.Env = append(main.Env, corev1.EnvVar{Name: key, Value: value})
		if key == spec.HookNode {
			pod = objects.OnlyOn(pod, value)
		}
	}
	return pod
}

// endHook deletes the pod of a hook without a grace period and waits until it is gone.
func (d *Driver) endHook(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, harness.RemoveTimeout, fmt.Errorf("not after %s", harness.RemoveTimeout))
	defer cancel()
	pods := d.t.Client.CoreV1().Pods(spec.SystemNamespace)
	if err := pods.Delete(ctx, name, *metav1.NewDeleteOptions(1)); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("end the pod of the hook: %w", err)
	}
	err := await.Until(ctx, func(ctx context.Context) (bool, error) {
		_, err := pods.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
	if err != nil {
		return fmt.Errorf("wait for the end of the pod of the hook: %w", err)
	}
	return nil
}
