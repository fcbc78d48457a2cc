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

// ClassicClaim is a driver's record of a ResourceClaim that it allocates, and what it
// frees the resource by: it is written before the allocation and outlives it. It has
// the name and the namespace of the claim and a finalizer of the driver. A claim has
// one from the first attempt to allocate it until its resource is free again; a
// reallocation makes a new one.
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

	// Spec says what is being allocated. Only DeallocationRequested can change.
	// +required
	Spec ClassicClaimSpec `json:"spec"`
	// Status says how far the driver is.
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
	// ClaimUID is the UID of the claim, so that another one of that name is not taken
	// for it.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=36
	ClaimUID types.UID `json:"claimUID"`
	// DriverName is a copy of the class's when the attempt began. The class may be gone
	// when the claim is deallocated.
	// +required
	DriverName DriverName `json:"driverName"`
	// AllocationMode is that of the claim.
	// +required
	AllocationMode AllocationMode `json:"allocationMode"`
	// SelectedNode is the node for which the driver allocates. It is empty for an
	// immediate allocation, where the driver is free.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	SelectedNode string `json:"selectedNode,omitempty"`
	// DeallocationRequested asks the driver to free the claim's resource as soon as nobody
	// has reserved the claim. The scheduler sets it when a pod cannot run where the
	// resource is.
	// +optional
	DeallocationRequested bool `json:"deallocationRequested,omitempty"`
}

// AllocationMode says when a claim is allocated.
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
	// ResourceHandle is what the driver needs to find the resource again, in a form of
	// its own.
	// +optional
	// +kubebuilder:validation:MaxLength=16384
	ResourceHandle string `json:"resourceHandle,omitempty"`
	// UserLimit is how many pods may use the claim at the same time, -1 if there is no
	// limit.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == -1 || self >= 1",message="must be positive, or -1 for no limit"
	UserLimit int32 `json:"userLimit,omitempty"`
}

// Phase says what was done for a claim.
//
// +kubebuilder:validation:Enum=Allocated;Deallocating
type Phase string

// The phases after the empty one. In KEP-3063, Allocated is the same, the empty one is
// Pending, and Reallocate asks for what Deallocating says is being done.
const (
	// Allocated means that the driver holds a resource. The allocation is in the claim, or
	// is about to be, or was taken out.
	Allocated Phase = "Allocated"
	// Deallocating means that the claim is not allocated, that no write which is still
	// under way can change that, and that the driver frees the resource.
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
