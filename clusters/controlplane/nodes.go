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

package controlplane

import (
	"context"
	"fmt"
	"runtime"
	"strconv"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

const nodesAtOnce = 32

func createNodes(ctx context.Context, client kubernetes.Interface, c clusters.Config) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(nodesAtOnce)
	for i := range c.Nodes {
		group.Go(func() error {
			n := node(i, c)
			if _, err := client.CoreV1().Nodes().Create(ctx, n, metav1.CreateOptions{}); err != nil {
				return fmt.Errorf("create node %s: %w", n.Name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// declared are the feature gates a kubelet declares in its node's status, restricted to those off by default and read
// by the API server and the scheduler (k8s.io/component-helpers v0.37.1, nodedeclaredfeatures/features/registry.go).
//
//nolint:gochecknoglobals // a table
var declared = []spec.Feature{spec.NodeAllocatable, spec.OptionalOperations}

// node is the i-th simulated node. Like a kubelet's, it is created with its status.
func node(i int, c clusters.Config) *corev1.Node {
	name := "node-" + strconv.Itoa(i)
	now := metav1.Now()
	condition := func(kind corev1.NodeConditionType, status corev1.ConditionStatus, reason string) corev1.NodeCondition {
		return corev1.NodeCondition{Type: kind, Status: status, Reason: reason, Message: "simulated by kwok", LastHeartbeatTime: now, LastTransitionTime: now}
	}
	capacity := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("32"), corev1.ResourceMemory: resource.MustParse("256Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	var features []string
	for _, f := range declared {
		if c.FeatureGates[string(f)] {
			features = append(features, string(f))
		}
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Annotations: map[string]string{managedKey: managedValue},
			Labels: map[string]string{
				corev1.LabelHostname: name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: runtime.GOARCH, "type": "kwok",
			},
		},
		Status: corev1.NodeStatus{
			Phase: corev1.NodeRunning, Capacity: capacity, Allocatable: capacity, DeclaredFeatures: features,
			Conditions: []corev1.NodeCondition{
				condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady"),
				condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory"),
				condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure"),
				condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID"),
			},
			Addresses: []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: name}},
			NodeInfo: corev1.NodeSystemInfo{
				KubeletVersion: c.Version, ContainerRuntimeVersion: "kwok", OperatingSystem: "linux", Architecture: runtime.GOARCH,
			},
		},
	}
}

// waitNodes waits until pods can be scheduled on all nodes. That is immediate unless admission plugins taint new
// nodes.
func waitNodes(ctx context.Context, client kubernetes.Interface, size int) error {
	var why string
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		why = fmt.Sprintf("%d of %d nodes are there", len(list.Items), size)
		for i := range list.Items {
			if reason := clusters.NotReady(&list.Items[i]); reason != "" {
				why = list.Items[i].Name + ": " + reason
				return false, nil
			}
		}
		return len(list.Items) >= size, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the nodes: %w (%s)", err, why)
	}
	return nil
}
