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

package problem

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// Problem is a set of claims and the devices they compete for. An allocator has to find the first
// fit of all Claims on each of Nodes; a scheduler has to find a node and devices for each of Pods.
// All objects are as served by the API server.
type Problem struct {
	// Off lists disabled optional features by their names in Gates.
	Off       []string                    `json:"featuresOff,omitempty"`
	Nodes     []Node                      `json:"nodes,omitempty"`
	Slices    []resourceapi.ResourceSlice `json:"slices,omitempty"`
	Classes   []resourceapi.DeviceClass   `json:"classes,omitempty"`
	Allocated []resourceapi.ResourceClaim `json:"allocated,omitempty"`
	Claims    []resourceapi.ResourceClaim `json:"claims,omitempty"`
	// Rules taint devices for a scheduler. For an allocator, their taints are in Slices.
	Rules []resourceapi.DeviceTaintRule `json:"rules,omitempty"`
	// Pods use claims. Without any, one pod uses all Claims.
	Pods []Pod `json:"pods,omitempty"`
	// History is the past of a stateful allocator. It must not affect the answer.
	History *History `json:"history,omitempty"`
}

// FailsFirst is a binding failure condition that becomes true after the first allocation of its device. After later
// allocations, the binding conditions become true.
const FailsFirst = "example.com/fails-first"

// Node is the relevant part of a node.
type Node struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	// Extended is the capacity of device plugins by extended resource.
	Extended map[string]int64 `json:"extended,omitempty"`
}

// AllPods returns Pods, or a single pod using all Claims.
func (p *Problem) AllPods() []Pod {
	if len(p.Pods) > 0 {
		return p.Pods
	}
	pod := Pod{Name: "pod"}
	for i := range p.Claims {
		pod.Claims = append(pod.Claims, p.Claims[i].Name)
	}
	return []Pod{pod}
}

// API returns the API object of the node.
func (n *Node) API() *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}}
}

// History is the past of a stateful allocator.
type History struct {
	// Slices are the names of slices published before the first lookup of nodes.
	Slices []string `json:"slices,omitempty"`
	// Released are formerly allocated claims.
	Released []resourceapi.ResourceClaim `json:"released,omitempty"`
}

// Parse reads a problem from YAML, strictly.
func Parse(data []byte) (*Problem, error) {
	p := &Problem{}
	if err := yaml.UnmarshalStrict(data, p); err != nil {
		return nil, fmt.Errorf("parse problem: %w", err)
	}
	return p, nil
}

// YAML formats the problem for Parse.
func (p *Problem) YAML() ([]byte, error) {
	data, err := yaml.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write problem: %w", err)
	}
	return data, nil
}

// Copy returns a deep copy.
func (p *Problem) Copy() *Problem {
	c := &Problem{Off: slices.Clone(p.Off), Nodes: slices.Clone(p.Nodes)}
	for i := range c.Nodes {
		c.Nodes[i].Extended = maps.Clone(c.Nodes[i].Extended)
	}
	for i := range p.Slices {
		c.Slices = append(c.Slices, *p.Slices[i].DeepCopy())
	}
	for i := range p.Classes {
		c.Classes = append(c.Classes, *p.Classes[i].DeepCopy())
	}
	for i := range p.Rules {
		c.Rules = append(c.Rules, *p.Rules[i].DeepCopy())
	}
	c.Allocated = copyClaims(p.Allocated)
	c.Claims = copyClaims(p.Claims)
	for i := range p.Pods {
		c.Pods = append(c.Pods, p.Pods[i].copy())
	}
	if p.History != nil {
		c.History = &History{
			Slices:   slices.Clone(p.History.Slices),
			Released: copyClaims(p.History.Released),
		}
	}
	return c
}

func copyClaims(claims []resourceapi.ResourceClaim) []resourceapi.ResourceClaim {
	var copies []resourceapi.ResourceClaim
	for i := range claims {
		copies = append(copies, *claims[i].DeepCopy())
	}
	return copies
}

// ClusterGates lists the names in Problem.Off of a problem for a scheduler, sorted.
func ClusterGates() []string {
	return slices.Sorted(slices.Values(append(Gates(), "DeviceTaintRules", "ExtendedResource")))
}

// Gates lists the names in Problem.Off of a problem for an allocator, sorted.
func Gates() []string {
	return []string{
		"AdminAccess", "ConsumableCapacity", "DeviceBindingAndStatus", "DeviceTaints", "FractionalCapacityRange", "PartitionableDevices", "PrioritizedList",
	}
}
