// Package v1alpha1 is the API of classic DRA: what KEP-3063 and the article on
// Kubernetes 1.26 have in resource.k8s.io/v1alpha1 and resource.k8s.io/v1 has not.
//
// ResourceClass, PodScheduling and ClassicClaim are stored as custom resources; the
// definitions in cmd/dra-classic-driver/crd are generated from these types, as are
// the deep copies. ClassConfig, ClaimConfig and AllocationConfig are not stored by
// themselves: they are the opaque parameters of a DeviceClass, a ResourceClaim and an
// allocation, addressed to the driver name GroupName. Start at ResourceClass;
// docs/adr/0020 says where each field of the documents went.
//
// +groupName=classic.dra-conformance.github.io
// +kubebuilder:object:generate=true
package v1alpha1
