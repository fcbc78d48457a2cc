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
