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

package containermanager

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	schedutil "k8s.io/kubernetes/pkg/scheduler/util"
)

// withoutClaims returns the container for the kubelet's DRA manager, as that fails for claims it did
// not prepare. Limits stay: device plugins need them.
func withoutClaims(container *v1.Container) *v1.Container {
	stripped := *container
	stripped.Resources.Claims = nil
	stripped.Resources.Requests = maps.Clone(container.Resources.Requests)
	maps.DeleteFunc(stripped.Resources.Requests, func(name v1.ResourceName, _ resource.Quantity) bool {
		return schedutil.IsDRAExtendedResourceName(name)
	})
	return &stripped
}

// podWithoutClaims returns the pod without its containers' claims. The kubelet's DRA manager would put
// their statuses into random order.
func podWithoutClaims(pod *v1.Pod) *v1.Pod {
	if !slices.ContainsFunc(pod.Spec.Containers, func(c v1.Container) bool { return len(c.Resources.Claims) > 0 }) {
		return pod
	}
	stripped := *pod
	stripped.Spec.Containers = slices.Clone(pod.Spec.Containers)
	for i := range stripped.Spec.Containers {
		stripped.Spec.Containers[i].Resources.Claims = nil
	}
	return &stripped
}
