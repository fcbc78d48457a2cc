package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupName is the API group, and the driver name of this package's configurations in objects of
// resource.k8s.io/v1.
const GroupName = "classic.dra-conformance.github.io"

// GroupVersion is the group and version of the types.
func GroupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: GroupName, Version: "v1alpha1"}
}

// AddToScheme adds the stored types to a scheme. It never fails.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion(),
		&ResourceClass{}, &ResourceClassList{},
		&PodScheduling{}, &PodSchedulingList{},
		&ClassicClaim{}, &ClassicClaimList{})
	metav1.AddToGroupVersion(scheme, GroupVersion())
	return nil
}
