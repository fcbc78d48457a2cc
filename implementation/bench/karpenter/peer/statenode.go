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

package peer

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/karpenter/pkg/controllers/state"

	"github.com/dra-conformance/dratest/implementation/simulation"
)

// stateNodes are the existing nodes with their free resources.
func stateNodes(objects simulation.Objects) []*state.StateNode {
	byName := make(map[string]*state.StateNode, len(objects.Nodes))
	all := make([]*state.StateNode, len(objects.Nodes))
	for i, node := range objects.Nodes {
		all[i] = state.NewNode()
		all[i].Node = node.DeepCopy()
		all[i].Node.Spec.ProviderID = node.Name
		byName[node.Name] = all[i]
	}
	for _, pod := range objects.Pods {
		node := byName[pod.Spec.NodeName]
		if node == nil {
			continue
		}
		left := node.Node.Status.Allocatable
		take(left, corev1.ResourcePods, *resource.NewQuantity(1, resource.DecimalSI))
		for i := range pod.Spec.Containers {
			for name, quantity := range pod.Spec.Containers[i].Resources.Requests {
				take(left, name, quantity)
			}
		}
	}
	return all
}

func take(left corev1.ResourceList, name corev1.ResourceName, quantity resource.Quantity) {
	rest := left[name]
	rest.Sub(quantity)
	left[name] = rest
}
