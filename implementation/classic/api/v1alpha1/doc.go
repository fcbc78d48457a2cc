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

// Package v1alpha1 is the API of classic DRA: the parts of resource.k8s.io/v1alpha1, as described by
// KEP-3063 and the article on Kubernetes 1.26, missing in resource.k8s.io/v1.
//
// ResourceClass, PodScheduling and ClassicClaim are stored as custom resources; the definitions in
// cmd/dra-classic-driver/crd are generated from these types, as are the deep copies. ClassConfig,
// ClaimConfig and AllocationConfig are opaque parameters of a DeviceClass, a ResourceClaim and an
// allocation for the driver name GroupName. Start at ResourceClass; docs/adr/0020 maps the fields of
// both documents.
//
// +groupName=classic.dra-conformance.github.io
// +kubebuilder:object:generate=true
package v1alpha1
