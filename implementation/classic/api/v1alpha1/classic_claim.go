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

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ClassicClaim is a driver's record of a ResourceClaim and its resource, needed for deallocation. It
// is written before the allocation and outlives it. It has the claim's name and namespace, and a
// finalizer of the driver. It exists from the first attempt to allocate a claim until its resource is
// released; a reallocation creates a new one.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="DriverName",type=string,JSONPath=`.spec.driverName`
// +kubebuilder:printcolumn:name="AllocationMode",type=string,JSONPath=`.spec.allocationMode`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Node",type=string,JSONPath=`.spec.selectedNode`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ClassicClaim struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the allocation request. Only DeallocationRequested can change.
	// +required
	Spec ClassicClaimSpec `json:"spec"`
	// Status is the progress of the driver.
	// +optional
	Status ClassicClaimStatus `json:"status,omitempty"`
}

// ClassicClaimSpec is one attempt to allocate a claim.
//
// +kubebuilder:validation:XValidation:rule="self.claimUID == oldSelf.claimUID && self.driverName == oldSelf.driverName && self.allocationMode == oldSelf.allocationMode",message="claimUID, driverName and allocationMode are immutable"
// +kubebuilder:validation:XValidation:rule="has(self.selectedNode) == has(oldSelf.selectedNode) && (!has(self.selectedNode) || self.selectedNode == oldSelf.selectedNode)",message="selectedNode is immutable: another node needs another attempt"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.deallocationRequested) || !oldSelf.deallocationRequested || (has(self.deallocationRequested) && self.deallocationRequested)",message="a request for deallocation cannot be taken back"
// +kubebuilder:validation:XValidation:rule="self.allocationMode != 'Immediate' || !has(self.selectedNode)",message="immediate allocation has no selected node"
type ClassicClaimSpec struct {
	// ClaimUID is the UID of the claim, to distinguish it from another one of the same name.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=36
	ClaimUID types.UID `json:"claimUID"`
	// DriverName is a copy of the class's when the attempt began. The class may be gone
	// when the claim is deallocated.
	// +required
	DriverName DriverName `json:"driverName"`
	// AllocationMode is the claim's allocation mode.
	// +required
	AllocationMode AllocationMode `json:"allocationMode"`
	// SelectedNode is the node of the allocation. It is empty for an immediate allocation: the driver
	// chooses.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	SelectedNode string `json:"selectedNode,omitempty"`
	// DeallocationRequested requests deallocation of the claim as soon as it is not reserved. The
	// scheduler sets it if a pod cannot run at the location of the resource.
	// +optional
	DeallocationRequested bool `json:"deallocationRequested,omitempty"`
}

// AllocationMode is the time of a claim's allocation.
//
// +kubebuilder:validation:Enum=Immediate;WaitForFirstConsumer
type AllocationMode string

// The allocation modes. WaitForFirstConsumer is the default. KEP-3063 calls it Delayed.
const (
	Immediate            AllocationMode = "Immediate"
	WaitForFirstConsumer AllocationMode = "WaitForFirstConsumer"
)

// ClassicClaimStatus is what the driver knows.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.phase) || has(self.phase) && (oldSelf.phase == self.phase || self.phase == 'Deallocating')",message="after Allocated comes Deallocating, and after that nothing"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.resourceHandle) || has(self.resourceHandle) && self.resourceHandle == oldSelf.resourceHandle",message="resourceHandle is immutable once set"
type ClassicClaimStatus struct {
	// Phase is empty while the driver allocates.
	// +optional
	Phase Phase `json:"phase,omitempty"`
	// ResourceHandle identifies the resource in a driver-specific format.
	// +optional
	// +kubebuilder:validation:MaxLength=16384
	ResourceHandle string `json:"resourceHandle,omitempty"`
	// UserLimit is the maximum number of pods using the claim at the same time, -1 for no limit.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == -1 || self >= 1",message="must be positive, or -1 for no limit"
	UserLimit int32 `json:"userLimit,omitempty"`
}

// Phase is the phase of a claim's allocation.
//
// +kubebuilder:validation:Enum=Allocated;Deallocating
type Phase string

// The phases after the empty one. Allocated is the same in KEP-3063. The empty phase is Pending there,
// and Reallocate requests the action of Deallocating.
const (
	// Allocated means the driver holds a resource. The allocation is in the claim, will be written to it,
	// or was removed from it.
	Allocated Phase = "Allocated"
	// Deallocating means the claim is not allocated, writes in flight cannot change this, and the driver
	// releases the resource.
	Deallocating Phase = "Deallocating"
)

// ClassicClaimList is a list of ClassicClaims.
//
// +kubebuilder:object:root=true
type ClassicClaimList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClassicClaim `json:"items"`
}
