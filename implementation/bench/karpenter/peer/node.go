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
	"unique"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/scheduling/dynamicresources"
)

// anyType is the instance type of existing nodes: their devices are published.
const anyType = "any"

// node is an existing node for karpenter's allocator.
type node struct {
	*corev1.Node
	requirements scheduling.Requirements
}

func newNode(n *corev1.Node) *node {
	requirements := scheduling.NewLabelRequirements(n.Labels)
	requirements.Add(scheduling.NewRequirement(corev1.LabelHostname, corev1.NodeSelectorOpIn, n.Name))
	return &node{Node: n, requirements: requirements}
}

// ID is the node's name.
func (n *node) ID() dynamicresources.NodeClaimID { return unique.Make(n.Name) }

// NodeName is the name used in slices.
func (n *node) NodeName() string { return n.Name }

// NodePoolID is the ID for nodes not managed by karpenter.
func (n *node) NodePoolID() dynamicresources.NodePoolID { return unique.Make("") }

// Requirements are the node's labels.
func (n *node) Requirements() scheduling.Requirements { return n.requirements }

// InstanceTypes is the only one.
func (n *node) InstanceTypes() []dynamicresources.InstanceTypeID {
	return []dynamicresources.InstanceTypeID{unique.Make(anyType)}
}

// ResourceSlices are the unpublished ones: none.
func (n *node) ResourceSlices() map[dynamicresources.InstanceTypeID][]dynamicresources.ResourceSlice {
	return nil
}
