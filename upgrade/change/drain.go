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
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/upgrade/path"
)

// evictionRetry is the delay after an eviction rejected by a disruption budget.
const evictionRetry = 5 * time.Second

// drained evicts a node's pods before its kubelet is replaced, and uncordons the node when the new one works. A node
// without a working kubelet stays cordoned.
func (c Cluster) drained(ctx context.Context, step path.Step) (Done, error) {
	node := step.Place.Node
	if err := c.cordon(ctx, node, true); err != nil {
		return Done{}, fmt.Errorf("%s: cordon the node: %w", step, err)
	}
	if err := c.evictAll(ctx, node); err != nil {
		return Done{}, fmt.Errorf("%s: drain the node: %w", step, err)
	}
	done, err := c.kubelet(ctx, step)
	if err != nil {
		return done, err
	}
	if err := c.cordon(ctx, node, false); err != nil {
		return done, fmt.Errorf("%s: uncordon the node: %w", step, err)
	}
	return done, nil
}

func (c Cluster) cordon(ctx context.Context, node string, closed bool) error {
	patch := fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, closed)
	_, err := c.Client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	return err
}

// evictAll evicts the pods of a node concurrently and waits until they are gone.
func (c Cluster) evictAll(ctx context.Context, node string) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout())
	defer cancel()
	pods, err := c.Client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String()})
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, pod := range pods.Items {
		if !staysOnNode(pod) {
			group.Go(func() error { return c.evict(ctx, pod) })
		}
	}
	return group.Wait()
}

// staysOnNode reports static pods and pods of DaemonSets, which come back on a cordoned node.
func staysOnNode(pod corev1.Pod) bool {
	_, static := pod.Annotations[corev1.MirrorPodAnnotationKey]
	return static || slices.ContainsFunc(pod.OwnerReferences, func(o metav1.OwnerReference) bool { return o.Kind == "DaemonSet" })
}

func (c Cluster) evict(ctx context.Context, pod corev1.Pod) error {
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace}}
	err := wait.PollUntilContextCancel(ctx, evictionRetry, true, func(ctx context.Context) (bool, error) {
		err := c.Client.CoreV1().Pods(pod.Namespace).EvictV1(ctx, eviction)
		if apierrors.IsTooManyRequests(err) {
			return false, nil
		}
		return true, err
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("evict pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	err = wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		now, err := c.Client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return err == nil && now.UID != pod.UID, err
	})
	if err != nil {
		return fmt.Errorf("wait for evicted pod %s/%s to be gone: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}
