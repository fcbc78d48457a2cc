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

package audit

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// checkExtended checks that the pod's status maps each class-backed extended resource of each container to a request
// of the pod's special claim (KEP-5004). Device plugin resources of the node need none; without the node's object the
// check is skipped.
func checkExtended(pod *corev1.Pod, node *corev1.Node, classes []resourceapi.DeviceClass) []Violation {
	if node == nil {
		return nil
	}
	var found []Violation
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		for _, name := range slices.Sorted(maps.Keys(container.Resources.Requests)) {
			amount := container.Resources.Requests[name]
			// A removed plugin leaves its resource with amount zero.
			_, plugin := node.Status.Allocatable[name]
			class := classFor(name, classes)
			if amount.IsZero() || plugin || class == nil || mapped(pod, container.Name, name) {
				continue
			}
			v := aboutPod(BoundWithoutClaim, pod, nil, "is bound to %s, but has no claim for %s of container %s, mapped to class %s",
				node.Name, name, container.Name, class.Name)
			v.Subject = container.Name + "/" + string(name)
			v.Evidence = append(v.Evidence, class)
			found = append(found, v)
		}
	}
	return found
}

func classFor(name corev1.ResourceName, classes []resourceapi.DeviceClass) *resourceapi.DeviceClass {
	i := slices.IndexFunc(classes, func(c resourceapi.DeviceClass) bool {
		return string(name) == ptr.Deref(c.Spec.ExtendedResourceName, "") || string(name) == resourceapi.ResourceDeviceClassPrefix+c.Name
	})
	if i < 0 {
		return nil
	}
	return &classes[i]
}

func mapped(pod *corev1.Pod, container string, resource corev1.ResourceName) bool {
	status := pod.Status.ExtendedResourceClaimStatus
	return status != nil && slices.ContainsFunc(status.RequestMappings, func(m corev1.ContainerExtendedResourceRequest) bool {
		return m.ContainerName == container && m.ResourceName == string(resource)
	})
}
