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
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// ResourceClass selects the driver for a kind of resource, with the cluster administrator's
// parameters. A DeviceClass refers to it in a ClassConfig.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:printcolumn:name="DriverName",type=string,JSONPath=`.driverName`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="!(has(self.parametersRef) && has(self.parameters))",message="parametersRef and parameters exclude each other"
type ResourceClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// DriverName is the name of the driver allocating claims of this class, a lower-case DNS subdomain.
	// +required
	DriverName DriverName `json:"driverName"`

	// ParametersRef refers to an object with parameters for the driver. Users cannot override them.
	// +optional
	ParametersRef *ClassParametersReference `json:"parametersRef,omitempty"`

	// Parameters are parameters for the driver without an object of their own.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Parameters *runtime.RawExtension `json:"parameters,omitempty"`

	// SuitableNodes are the nodes suitable for claims of this class, by default all nodes.
	// +optional
	SuitableNodes *corev1.NodeSelector `json:"suitableNodes,omitempty"`
}

// DriverName names a driver, as in an allocation.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
type DriverName string

// ClassParametersReference names an object with parameters of a class.
type ClassParametersReference struct {
	// APIGroup is empty for the core API.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	APIGroup string `json:"apiGroup,omitempty"`
	// Kind is the object's kind.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`
	// Name is the object's name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Namespace is empty for objects without one.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
}

// ResourceClassList is a list of ResourceClasses.
//
// +kubebuilder:object:root=true
type ResourceClassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClass `json:"items"`
}
