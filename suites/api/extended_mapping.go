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

package api

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ExtendedMapping writes the mapping from containers to devices of a pod's special claim.
var ExtendedMapping = harness.Case{Meta: spec.Meta{
	ID:       "api/extended-mapping",
	Checks:   "A special claim's mapping names existing containers, their extended resources and valid requests only.",
	Requires: []spec.RequirementID{"kep-5004/mapping-name-format", "kep-5004/mapping-names-of-pod"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.ExtendedResource}},
}, Run: func(t *harness.T) {
	t.Create(podAccount())
	pod := unscheduled(objects.PodWanting("pod", t.Image, map[string]int64{"example.com/gpu": 1}))
	container := pod.Spec.Containers[0].Name
	pod.Spec.Containers = append(pod.Spec.Containers, objects.Container("second", t.Image, "true"))
	t.Create(pod)
	pods := t.Client.CoreV1().Pods(t.Namespace)
	stored, err := pods.Get(t.Context(), "pod", metav1.GetOptions{})
	t.NoError(err, "get the pod")

	status := func(claim string, mappings ...corev1.ContainerExtendedResourceRequest) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: claim, RequestMappings: mappings}
		}
	}
	mapping := func(container, resource, request string) corev1.ContainerExtendedResourceRequest {
		return corev1.ContainerExtendedResourceRequest{ContainerName: container, ResourceName: resource, RequestName: request}
	}
	good := mapping(container, "example.com/gpu", "container-0-request-0")
	of := func(container, resource, request string) func(*corev1.Pod) {
		return status("claim", mapping(container, resource, request))
	}
	right := status("claim", good)
	const field = "status.extendedResourceClaimStatus"
	judge(t, stored.DeepCopy, updateStatus(t, pods), []rule[*corev1.Pod]{
		{"an unknown container", right, of("third", "example.com/gpu", "req"), field + ".requestMappings[0].containerName", invalid},
		{"a container with a capital", right, of("Container", "example.com/gpu", "req"), field + ".requestMappings[0].containerName", invalid},
		{"an unrequested resource", right, of(container, "example.com/fpga", "req"), field + ".requestMappings[0].resourceName", invalid},
		{"a resource requested by another container", right, of("second", "example.com/gpu", "req"), field + ".requestMappings[0].resourceName", invalid},
		{"an invalid resource", right, of(container, "gpu", "req"), field + ".requestMappings[0].resourceName", invalid},
		{"a request with a capital", of(container, "example.com/gpu", "req"), of(container, "example.com/gpu", "Req"), field + ".requestName", invalid},
		{"a request of 64 characters", of(container, "example.com/gpu", characters(63)), of(container, "example.com/gpu", characters(64)), field + ".requestName", invalid},
		{"a mapping twice", right, status("claim", good, good), field + ".requestMappings[1].containerName", duplicate},
		{"no mapping", right, status("claim"), field + ".requestMappings", required},
		{"no claim", right, status("", good), field + ".resourceClaimName", required},
		{"a claim with a capital", right, status("Claim", good), field + ".resourceClaimName", invalid},
	}...)
}}
