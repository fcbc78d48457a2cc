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

package certify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	lookInterval = 200 * time.Millisecond
	// removeTime bounds the deletion of a pod.
	removeTime = time.Minute
)

// tried is the result of a pod with a device.
type tried struct {
	took     time.Duration
	observed map[spec.DriverFeature]bool
}

// try runs a pod with one device on a node and removes it, so a defect affecting all cases is reported once. Errors:
// ErrNotThere, ErrDriver.
func try(ctx context.Context, client kubernetes.Interface, s spec.DriverUnderTest, node, image string, limit time.Duration) (result tried, err error) {
	namespace, err := client.CoreV1().Namespaces().Create(ctx, harness.NewNamespace(&s), metav1.CreateOptions{})
	if err != nil {
		return result, fmt.Errorf("create namespace: %w", err)
	}
	defer func() {
		err = errors.Join(err, removeTrial(ctx, client, namespace.Name, removeTime))
		if err != nil { // nothing later waits for the namespace
			err = errors.Join(err, awaitGone(ctx, client, namespace.Name, removeTime))
		}
	}()
	_, err = client.CoreV1().ServiceAccounts(namespace.Name).Create(ctx, objects.DefaultAccount(), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return result, fmt.Errorf("create service account: %w", err)
	}
	labels := map[string]string{spec.LabelManagedBy: spec.ManagedBy}
	claim := objects.Claim("trial", objects.Request("req", s.Class, s.Selectors...))
	claim.Labels = labels
	if _, err := client.ResourceV1().ResourceClaims(namespace.Name).Create(ctx, claim, metav1.CreateOptions{}); err != nil {
		return result, fmt.Errorf("create claim: %w", err)
	}
	pod := objects.OnlyOn(objects.Pod("trial", image, "trial"), node)
	pod.Labels = labels
	pod.Spec.Containers[0].Command = []string{"sh", "-c", objects.Stay}
	if pod, err = objects.Templated(pod, s.Workload.Pod); err != nil {
		return result, err
	}
	started := time.Now()
	if _, err := client.CoreV1().Pods(namespace.Name).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return result, fmt.Errorf("create pod: %w", err)
	}
	last, err := awaitTrial(ctx, client, namespace.Name, limit)
	result.took = time.Since(started)
	if err != nil {
		return result, fmt.Errorf("a pod with one device on node %s: %w", node, err)
	}
	result.observed, err = observe(ctx, client, namespace.Name, last)
	return result, err
}

// awaitTrial waits until the pod is running and explains a failure. The limit applies to scheduling, then again to
// starting.
func awaitTrial(ctx context.Context, client kubernetes.Interface, namespace string, limit time.Duration) (*corev1.Pod, error) {
	var last *corev1.Pod
	var hopeless error
	since, late := time.Now(), false
	err := wait.PollUntilContextCancel(ctx, lookInterval, true, func(ctx context.Context) (bool, error) {
		p, err := client.CoreV1().Pods(namespace).Get(ctx, "trial", metav1.GetOptions{})
		if err != nil {
			return false, fmt.Errorf("get pod: %w", err)
		}
		if p.Spec.NodeName != "" && (last == nil || last.Spec.NodeName == "") {
			since = time.Now()
		}
		last = p
		hopeless = imageMissing(p)
		late = time.Since(since) > limit
		return p.Status.Phase == corev1.PodRunning || hopeless != nil || late, nil
	})
	switch {
	case err != nil:
		return last, err
	case hopeless != nil:
		return last, hopeless
	case !late || last.Status.Phase == corev1.PodRunning:
		return last, nil
	case last.Spec.NodeName == "":
		return last, fmt.Errorf("%w: it is not scheduled after %s: %s", ErrNotThere, limit, lastWarning(ctx, client, namespace))
	default:
		return last, whyLate(last, lastWarning(ctx, client, namespace), limit)
	}
}

// whyLate explains why a scheduled pod is not running. It blames the driver only if an event does.
func whyLate(p *corev1.Pod, said string, limit time.Duration) error {
	// The kubelet prepares claims before it creates the sandbox.
	prepared := slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReadyToStartContainers && c.Status == corev1.ConditionTrue
	})
	switch {
	case !prepared && strings.Contains(said, "is not registered"):
		return fmt.Errorf("%w: it publishes devices and the kubelet does not know it: its registration socket is missing, refused or in another kubelet's directory (nodes.kubeletRoot): %s", ErrDriver, said)
	case !prepared && strings.HasPrefix(said, prepareFailed), strings.Contains(said, "CDI"):
		return fmt.Errorf("%w: the pod does not run %s after it was scheduled (limits.prepare): %s", ErrDriver, limit, said)
	default:
		return fmt.Errorf("%w: the pod does not run %s after it was scheduled (limits.prepare), and nothing says that this is the driver's fault: see to the node, or, as for a large image, give it more time: %s", ErrNotThere, limit, said)
	}
}

// prepareFailed is the reason of the kubelet's event for a failed NodePrepareResources.
const prepareFailed = "FailedPrepareDynamicResources"

func imageMissing(p *corev1.Pod) error {
	for _, s := range p.Status.ContainerStatuses {
		w := s.State.Waiting
		if w != nil && (w.Reason == "ErrImagePull" || w.Reason == "ImagePullBackOff" || w.Reason == "ErrImageNeverPull" || w.Reason == "InvalidImageName") {
			return fmt.Errorf("%w: the node has no image %s and cannot pull it (%s: %s): correct workload.image, or load it into the nodes", ErrNotThere, s.Image, w.Reason, w.Message)
		}
		if w != nil && w.Reason == "CreateContainerConfigError" {
			return fmt.Errorf("%w: the container cannot be created (%s): correct workload.image or workload.template", ErrNotThere, w.Message)
		}
		if t := s.State.Terminated; t != nil {
			return fmt.Errorf("%w: the container ended with exit code %d (%s %s): workload.image must have sh and sleep", ErrNotThere, t.ExitCode, t.Reason, t.Message)
		}
	}
	return nil
}

func lastWarning(ctx context.Context, client kubernetes.Interface, namespace string) string {
	events, err := client.CoreV1().Events(namespace).List(context.WithoutCancel(ctx), metav1.ListOptions{})
	if err != nil {
		return err.Error()
	}
	last := corev1.Event{Reason: "nothing is said about it"}
	for _, e := range events.Items {
		if e.Type == corev1.EventTypeWarning && !e.LastTimestamp.Before(&last.LastTimestamp) {
			last = e
		}
	}
	return strings.TrimSpace(last.Reason + " " + last.Message)
}

func observe(ctx context.Context, client kubernetes.Interface, namespace string, p *corev1.Pod) (map[spec.DriverFeature]bool, error) {
	seen := map[spec.DriverFeature]bool{}
	claim, err := client.ResourceV1().ResourceClaims(namespace).Get(ctx, "trial", metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get claim: %w", err)
	}
	if len(claim.Status.Devices) > 0 {
		seen[spec.DriverDeviceStatus] = true
	}
	for _, s := range p.Status.ContainerStatuses {
		for _, r := range s.AllocatedResourcesStatus {
			for _, h := range r.Resources {
				// Kubelets also report Unknown for drivers without the health service.
				if h.Health != corev1.ResourceHealthStatusUnknown {
					seen[spec.DriverHealth] = true
				}
			}
		}
	}
	return seen, nil
}

// removeTrial deletes the trial's pod and waits until its device is free.
func removeTrial(ctx context.Context, client kubernetes.Interface, namespace string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	soon := int64(1)
	if err := client.CoreV1().Pods(namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &soon}, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("delete the trial's pod: %w", err)
	}
	stays := false // as it was seen last
	err := wait.PollUntilContextCancel(ctx, lookInterval, true, func(ctx context.Context) (bool, error) {
		pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		if stays = len(pods.Items) > 0; stays {
			return false, nil
		}
		if err := client.ResourceV1().ResourceClaims(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			return false, err
		}
		left, err := client.ResourceV1().ResourceClaims(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		stays = len(left.Items) > 0
		return !stays, nil
	})
	switch {
	case err == nil:
	case stays && ctx.Err() != nil:
		return fmt.Errorf("%w: a pod that was deleted does not end, or its claim stays, as when the driver does not unprepare; namespace %s is left with them: %w; %s",
			ErrDriver, namespace, err, lastWarning(ctx, client, namespace))
	default:
		return fmt.Errorf("see whether the trial's pod and claim are gone, in namespace %s: %w", namespace, err)
	}
	if err := client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("delete namespace %s: %w", namespace, err)
	}
	return nil
}

// awaitGone waits for the removal of a deleted namespace. removeTrial has already reported remaining content.
func awaitGone(ctx context.Context, client kubernetes.Interface, namespace string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	err := wait.PollUntilContextCancel(ctx, lookInterval, true, func(ctx context.Context) (bool, error) {
		n, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) || err == nil && n.DeletionTimestamp == nil {
			return true, nil
		}
		return false, err
	})
	if err != nil {
		return fmt.Errorf("namespace %s was deleted and is not gone: %w", namespace, err)
	}
	return nil
}
