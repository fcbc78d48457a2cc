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

package testbed

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
)

// StopStrays stops the drivers of cases with deleted namespaces. Failed cases keeping their objects keep their
// drivers, too, which publish again with each start of a kubelet: each new slice makes the scheduler retry all
// pending pods, also those of a case checking the opposite.
func (b *Testbed) StopStrays(ctx context.Context) error {
	nodes, err := agentNodes(ctx, b.Client)
	if err != nil || len(nodes) == 0 {
		return err
	}
	list, err := b.Client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list namespaces: %w", err)
	}
	namespaces := sets.New[string]()
	for _, n := range list.Items {
		namespaces.Insert(n.Name)
	}
	agents, err := b.agents.Connect(ctx, b.REST)
	if err != nil {
		return fmt.Errorf("reach the test driver: %w", err)
	}
	if c, ok := agents.(interface{ Close() }); ok {
		defer c.Close()
	}
	return stopStrays(ctx, agents, nodes, namespaces)
}

func agentNodes(ctx context.Context, client kubernetes.Interface) ([]string, error) {
	pods, err := client.CoreV1().Pods(deploy.Namespace).List(ctx, metav1.ListOptions{LabelSelector: deploy.LabelName + "=" + deploy.Name})
	if err != nil {
		return nil, fmt.Errorf("list the test driver's pods: %w", err)
	}
	var nodes []string
	for _, p := range pods.Items {
		if p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil {
			nodes = append(nodes, p.Spec.NodeName)
		}
	}
	return nodes, nil
}

func stopStrays(ctx context.Context, agents agentapi.AgentClient, nodes []string, namespaces sets.Set[string]) error {
	var errs []error
	for _, node := range nodes {
		drivers, err := agents.ListDrivers(ctx, &agentapi.NodeRequest{Node: node})
		errs = append(errs, err)
		for _, name := range drivers.GetNames() {
			if namespace := harness.NamespaceOf(name); namespace != "" && !namespaces.Has(namespace) {
				errs = append(errs, agentapi.Stop(ctx, agents, node, name))
			}
		}
	}
	return errors.Join(errs...)
}
