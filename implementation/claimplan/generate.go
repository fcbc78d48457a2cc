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

package claimplan

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxNameBase leaves room for the API server's suffix of generated names. Drivers use claim names
// in host names, limited to 63 characters.
const maxNameBase = 57

// newClaim is a claim from a template, for one entry of a pod's spec.resourceClaims. The annotation
// names the entry and the owner is the pod: both together identify the claim later.
func newClaim(pod *corev1.Pod, podClaim string, template *resourceapi.ResourceClaimTemplate) *resourceapi.ResourceClaim {
	annotations := maps.Clone(template.Spec.Annotations)
	if annotations == nil {
		annotations = make(map[string]string, 1)
	}
	annotations[resourceapi.PodResourceClaimAnnotation] = podClaim
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:    pod.Namespace,
			GenerateName: generateName(pod.Name, podClaim),
			Labels:       maps.Clone(template.Spec.Labels),
			Annotations:  annotations,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1",
				Kind:       "Pod",
				Name:       pod.Name,
				UID:        pod.UID,
				Controller: new(true),
			}},
		},
		Spec: *template.Spec.Spec.DeepCopy(),
	}
}

// generateName joins the names of pod and entry. If too long, both lose the same share of their
// length, so neither disappears. A pod name may contain dots: the API server rejects a name cut
// right behind one.
func generateName(pod, podClaim string) string {
	name := pod + "-" + podClaim + "-"
	if len(name) <= maxNameBase {
		return name
	}
	shorten := func(part string) string { return part[:len(part)*maxNameBase/len(name)] }
	return strings.TrimRight(shorten(pod), ".") + "-" + shorten(podClaim)
}
