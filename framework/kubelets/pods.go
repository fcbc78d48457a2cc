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

package kubelets

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	namespace = "compare-kubelets"
	driver    = "compare.dra-conformance.github.io"
	// podImage is preloaded on nodes of dratest's clusters.
	podImage = spec.ImageBusybox
	// patience bounds each wait; they take seconds.
	patience = 2 * time.Minute
)

// runPods runs the same pods on each node and waits for them: one with a claim from a template and one
// with an extended resource.
func runPods(ctx context.Context, api kubernetes.Interface, agents agentapi.AgentClient, nodes ...string) error {
	if _, err := api.CoreV1().Namespaces().Create(ctx, spec.Namespace(metav1.ObjectMeta{Name: namespace}), metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := api.ResourceV1().DeviceClasses().Create(ctx, objects.Class(driver, driver), metav1.CreateOptions{}); err != nil {
		return err
	}
	template := objects.Template("template", objects.Claim("", objects.Request("request", driver)))
	if _, err := api.ResourceV1().ResourceClaimTemplates(namespace).Create(ctx, template, metav1.CreateOptions{}); err != nil {
		return err
	}
	for _, node := range nodes {
		if err := startDriver(ctx, agents, node); err != nil {
			return fmt.Errorf("start the driver on %s: %w", node, err)
		}
	}
	pods := api.CoreV1().Pods(namespace)
	for _, node := range nodes {
		for _, pod := range []*corev1.Pod{
			objects.PodFromTemplate("claim-"+node, podImage, "template"),
			objects.PodWanting("extended-"+node, podImage, map[string]int64{resourceapi.ResourceDeviceClassPrefix + driver: 1}),
		} {
			if _, err := pods.Create(ctx, objects.OnlyOn(pod, node), metav1.CreateOptions{}); err != nil {
				return err
			}
		}
	}
	return waitForPods(ctx, api, 2*len(nodes))
}

// comeAndGo creates and deletes another pod with a claim on each node.
func comeAndGo(ctx context.Context, api kubernetes.Interface, nodes ...string) error {
	pods := api.CoreV1().Pods(namespace)
	for _, node := range nodes {
		if _, err := pods.Create(ctx, objects.OnlyOn(objects.PodFromTemplate("gone-"+node, podImage, "template"), node), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	if err := waitForPods(ctx, api, 3*len(nodes)); err != nil {
		return err
	}
	for _, node := range nodes {
		if err := pods.Delete(ctx, "gone-"+node, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	return waitForPods(ctx, api, 2*len(nodes))
}

// startDriver waits until the kubelet has registered the driver: starting a pod earlier would be
// counted as an error only by the faster kubelet.
func startDriver(ctx context.Context, agents agentapi.AgentClient, node string) error {
	pool := spec.Pool{Devices: []resourceapi.Device{{Name: "device-0"}, {Name: "device-1"}, {Name: "device-2"}}}
	config := spec.DriverConfig{Name: driver, Profile: spec.Profile{Name: "compare", Pools: []spec.Pool{pool}}}
	if err := agentapi.Start(ctx, agents, node, config); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		status, err := agentapi.Status(ctx, agents, node, driver)
		return status.Registered, err
	})
}

// waitForPods waits until exactly n pods exist, all Running and with a claim.
func waitForPods(ctx context.Context, api kubernetes.Interface, n int) error {
	var seen string
	err := wait.PollUntilContextTimeout(ctx, 500*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		pods, err := api.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		claims, err := api.ResourceV1().ResourceClaims(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		running, phases := 0, []string{}
		for _, pod := range pods.Items {
			phases = append(phases, pod.Name+" "+string(pod.Status.Phase))
			if pod.Status.Phase == corev1.PodRunning {
				running++
			}
		}
		seen = fmt.Sprintf("%d claims, pods: %s", len(claims.Items), strings.Join(phases, ", "))
		return running == n && len(pods.Items) == n && len(claims.Items) == n, nil
	})
	if err != nil {
		return fmt.Errorf("wait for %d pods with a claim each, last seen: %s: %w", n, seen, err)
	}
	return nil
}

// printWarnings prints the pods' warning events: they can explain an error counted by one kubelet
// only.
func printWarnings(ctx context.Context, api kubernetes.Interface, out io.Writer) error {
	events, err := api.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "type=" + corev1.EventTypeWarning})
	if err != nil {
		return err
	}
	for _, event := range events.Items {
		fmt.Fprintf(out, "event of pod %s: %s: %s\n", event.InvolvedObject.Name, event.Reason, event.Message)
	}
	return nil
}
