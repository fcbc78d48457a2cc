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

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// MaxNodes is the maximum number of nodes in each list of a PodScheduling.
const MaxNodes = 128

// PodScheduling is the negotiation about a node between the scheduler and the drivers of a pod's
// claims. It has the name of the pod and the pod as its owner, and is needed only while claims of the
// pod wait for their first consumer.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="SelectedNode",type=string,JSONPath=`.spec.selectedNode`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type PodScheduling struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is written by the scheduler.
	// +required
	Spec PodSchedulingSpec `json:"spec"`
	// Status is written by the drivers.
	// +optional
	Status PodSchedulingStatus `json:"status,omitempty"`
}

// PodSchedulingSpec is the scheduler's request.
type PodSchedulingSpec struct {
	// SelectedNode is the node for the allocation of the pod's claims, empty until selected by the
	// scheduler. It may change.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	SelectedNode string `json:"selectedNode,omitempty"`
	// PotentialNodes are nodes suitable for the pod otherwise. Drivers report the unsuitable ones.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.all(n, self.indexOf(n) == self.lastIndexOf(n))",message="a node is named once"
	PotentialNodes []string `json:"potentialNodes,omitempty"`
}

// PodSchedulingStatus is the response of drivers.
type PodSchedulingStatus struct {
	// ResourceClaims has an entry for each claim of the pod with a driver's response.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	ResourceClaims []ClaimSchedulingStatus `json:"resourceClaims,omitempty"`
}

// ClaimSchedulingStatus is the response for one claim.
type ClaimSchedulingStatus struct {
	// Name is the name of the entry in the pod's spec.resourceClaims.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// ObservedGeneration is the PodScheduling's generation for this response. Responses to earlier
	// generations are about other nodes.
	// +required
	// +kubebuilder:validation:Minimum=1
	ObservedGeneration int64 `json:"observedGeneration"`
	// UnsuitableNodes are potential or selected nodes for which the driver cannot allocate the claim.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=253
	UnsuitableNodes []string `json:"unsuitableNodes,omitempty"`
}

// PodSchedulingList is a list of PodSchedulings.
//
// +kubebuilder:object:root=true
type PodSchedulingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PodScheduling `json:"items"`
}
