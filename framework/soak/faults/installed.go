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

package faults

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/framework/metrics"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Driver is the name of an installed driver as a component.
const Driver = "driver"

// OfInstalled returns the components that can be killed with an installed driver, each on a random node.
func OfInstalled() []string { return []string{spec.Kubelet, Driver} }

// KillingInstalled returns the fault for one of OfInstalled.
func KillingInstalled(component string, engine Engine) soak.Fault {
	if component == Driver {
		return KillDriver{}
	}
	return KillKubelet{Engine: engine}
}

// KillDriver kills the process of an installed driver on a random node with SIGKILL, and deletes its pod: with each
// kill, the kubelet would wait longer before it restarts the container.
type KillDriver struct{}

var _ soak.Fault = KillDriver{}

// Name implements soak.Fault.
func (KillDriver) Name() string { return "kill " + Driver }

// Do waits until a new pod of the driver is ready.
func (KillDriver) Do(ctx context.Context, target soak.Target) error {
	node := target.Pick()
	pods := func(ctx context.Context) ([]corev1.Pod, error) {
		list, err := target.Client.CoreV1().Pods(target.Found.Namespace).List(ctx, metav1.ListOptions{LabelSelector: target.Found.Selector, FieldSelector: "spec.nodeName=" + node})
		if err != nil {
			return nil, fmt.Errorf("list the driver's pods on node %s: %w", node, err)
		}
		return list.Items, nil
	}
	old, err := pods(ctx)
	if err != nil {
		return err
	}
	if _, err := target.Agents.KillPlugin(ctx, &agentapi.DriverRequest{Node: node, Driver: target.Driver}); err != nil {
		return fmt.Errorf("kill the driver on node %s: %w", node, err)
	}
	target.Happened(Driver, node)
	for _, p := range old {
		if err := target.Client.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete the driver's pod %s: %w", p.Name, err)
		}
	}
	return AwaitWork(ctx, "a new pod of the driver on node "+node, func() (bool, error) {
		now, err := pods(ctx)
		return len(now) > 0 && !slices.ContainsFunc(now, func(p corev1.Pod) bool {
			return !kube.PodReady(&p) || slices.ContainsFunc(old, func(o corev1.Pod) bool { return o.UID == p.UID })
		}), err
	})
}

// KillKubelet kills the kubelet of a random node with SIGKILL, if nodes are local containers of Engine; otherwise, it is
// restarted by the node's systemd.
type KillKubelet struct{ Engine Engine }

var _ soak.Fault = KillKubelet{}

// Name implements soak.Fault.
func (KillKubelet) Name() string { return "kill " + spec.Kubelet }

// Do waits until the next kubelet answers.
func (k KillKubelet) Do(ctx context.Context, target soak.Target) error {
	node := target.Pick()
	started := func(ctx context.Context) (float64, error) {
		families, err := metrics.Kubelet(ctx, target.Client, node)
		if err != nil {
			return 0, err
		}
		at, _ := metrics.Value(families["process_start_time_seconds"], nil)
		return at, nil
	}
	before, err := started(ctx)
	if err != nil {
		return fmt.Errorf("look at the kubelet of node %s: %w", node, err)
	}
	if k.Engine != nil {
		err = Kill{Component: spec.Kubelet, Engine: k.Engine}.kill(ctx, []place{{name: node}})
	} else {
		_, err = target.Agents.RestartKubelet(ctx, &agentapi.NodeRequest{Node: node})
	}
	if err != nil {
		return fmt.Errorf("kill the kubelet of node %s: %w", node, err)
	}
	err = wait.PollUntilContextCancel(ctx, Pause, true, func(ctx context.Context) (bool, error) {
		now, err := started(ctx)
		return err == nil && now > before, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the next kubelet of node %s: %w", node, err)
	}
	target.Happened(spec.Kubelet, node)
	return nil
}
