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

package spec

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
)

// NodeGroup are nodes that could be added, as dra-whatif reads them.
type NodeGroup struct {
	// Name is the beginning of the nodes' names.
	Name string `json:"name"`
	// Max is how many can be added at most; 0 is for any number.
	Max int `json:"max,omitempty"`
	// Node is what new nodes are like, and Slices what drivers publish of them: all slices
	// of each of their pools, whose names have that of the node.
	Node   *corev1.Node                 `json:"node"`
	Slices []*resourceapi.ResourceSlice `json:"slices,omitempty"`
	// Pods come with each node and use Claims.
	Pods   []*corev1.Pod                `json:"pods,omitempty"`
	Claims []*resourceapi.ResourceClaim `json:"claims,omitempty"`
}

// Growth is what dra-whatif says of the nodes that pods need.
type Growth struct {
	Groups []GrownGroup  `json:"groups"`
	Pods   []ForetoldPod `json:"pods"`
}

// GrownGroup is what is added of a group.
type GrownGroup struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	// Nodes are what the new nodes are called in the answer.
	Nodes []string `json:"nodes"`
	// Left is how many devices of them nobody has.
	Left int `json:"devicesLeft"`
}

// ForetoldPod is what is said of a pod.
type ForetoldPod struct {
	Name string `json:"name"`
	// Node is empty if there is none for the pod, which Reason explains.
	Node   string `json:"node"`
	Reason string `json:"reason"`
	// New says that the node is one that is to be added.
	New bool `json:"new"`
}

// Departure is what dra-whatif says of a cluster without a node.
type Departure struct {
	// Possible says that all pods that have to move have a node.
	Possible bool          `json:"possible"`
	Pods     []ForetoldPod `json:"pods"`
	// Blockers are claims with devices of the node that others go on using.
	Blockers []string `json:"blockers"`
}
