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

// NodeGroup is a group of nodes to add, in the format of dra-whatif.
type NodeGroup struct {
	// Name is the beginning of the nodes' names.
	Name string `json:"name"`
	// Max is the maximum number of nodes to add; 0 is unlimited.
	Max int `json:"max,omitempty"`
	// Node is the template of new nodes, and Slices the drivers' slices on them: all slices of each of their pools, with
	// the node's name in their names.
	Node   *corev1.Node                 `json:"node"`
	Slices []*resourceapi.ResourceSlice `json:"slices,omitempty"`
	// Pods come with each node and use Claims.
	Pods   []*corev1.Pod                `json:"pods,omitempty"`
	Claims []*resourceapi.ResourceClaim `json:"claims,omitempty"`
}

// Growth is dra-whatif's answer about the nodes needed by pods.
type Growth struct {
	Groups []GrownGroup   `json:"groups"`
	Pods   []PredictedPod `json:"pods"`
}

// GrownGroup has the nodes added to a group.
type GrownGroup struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	// Nodes are the names of the new nodes in the answer.
	Nodes []string `json:"nodes"`
	// Left is how many devices of them nobody has.
	Left int `json:"devicesLeft"`
}

// PredictedPod is the prediction for a pod.
type PredictedPod struct {
	Name string `json:"name"`
	// Node is empty if there is none for the pod, with Reason.
	Node   string `json:"node"`
	Reason string `json:"reason"`
	// New: the node is one to be added.
	New bool `json:"new"`
}

// Departure is dra-whatif's answer about a cluster without a node.
type Departure struct {
	// Possible: all pods to move have a node.
	Possible bool           `json:"possible"`
	Pods     []PredictedPod `json:"pods"`
	// Blockers are claims with devices of the node still used by others.
	Blockers []string `json:"blockers"`
}
