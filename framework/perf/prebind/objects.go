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

package prebind

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/perf"
)

const (
	driver    = perf.DriverName
	namespace = "default"
	heldPod   = "held"
)

// nodeName returns the provider's name of its i-th node.
func nodeName(i int) string { return fmt.Sprintf("node-%d", i) }

// createWaiting creates pods with claims for devices requiring attachment, but never attached.
func (b bench) createWaiting(ctx context.Context) error {
	if _, err := b.client.ResourceV1().DeviceClasses().Create(ctx, objects.Class(driver, driver), metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create class: %w", err)
	}
	group, creating := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for i := range b.Nodes {
		group.Go(func() error {
			_, err := b.client.ResourceV1().ResourceSlices().Create(creating, slice(nodeName(i), b.Devices), metav1.CreateOptions{})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("publish devices: %w", err)
	}
	group, creating = errgroup.WithContext(ctx)
	group.SetLimit(16)
	for i := range b.Pods {
		name := fmt.Sprintf("pod-%d", i)
		group.Go(func() error {
			if _, err := b.client.ResourceV1().ResourceClaims(namespace).Create(creating, objects.Claim(name, objects.Request("request", driver)), metav1.CreateOptions{}); err != nil {
				return err
			}
			pod := objects.Pod(name, "none", name)
			pod.Spec.SchedulerName = clusters.DefaultsProfile // waits for 10 minutes
			_, err := b.client.CoreV1().Pods(namespace).Create(creating, pod, metav1.CreateOptions{})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("create pods with claims: %w", err)
	}
	return nil
}

func slice(node string, devices int) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node}, Spec: resourceapi.ResourceSliceSpec{
		Driver: driver, NodeName: ptr.To(node), Pool: resourceapi.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1},
	}}
	for i := range devices {
		s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{
			Name: fmt.Sprintf("device-%d", i), BindingConditions: []string{"attached"}, BindingFailureConditions: []string{"failed"},
		})
	}
	return s
}

// createHeld creates the pod for the extender. The scheduler ignores its resource request.
func (b bench) createHeld(ctx context.Context) error {
	pod := objects.Pod(heldPod, "none")
	held := corev1.ResourceList{heldResource: resource.MustParse("1")}
	pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: held, Limits: held}
	if _, err := b.client.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create pod %s: %w", heldPod, err)
	}
	return nil
}

// awaitPreBind waits until all claims are allocated, as done by PreBind before it waits. A bound pod
// is an error.
func (b bench) awaitPreBind(ctx context.Context) error {
	allocated := 0
	err := wait.PollUntilContextTimeout(ctx, time.Second, patience, true, func(ctx context.Context) (bool, error) {
		claims, err := b.client.ResourceV1().ResourceClaims(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		allocated = 0
		for i := range claims.Items {
			if claims.Items[i].Status.Allocation != nil {
				allocated++
			}
		}
		return allocated == b.Pods, nil
	})
	if err != nil {
		return fmt.Errorf("%d of %d claims are allocated: %w", allocated, b.Pods, err)
	}
	pods, err := b.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list pods: %w", err)
	}
	for i := range pods.Items {
		if pods.Items[i].Spec.NodeName != "" {
			return fmt.Errorf("pod %s is bound, although its device was never attached", pods.Items[i].Name)
		}
	}
	return nil
}
