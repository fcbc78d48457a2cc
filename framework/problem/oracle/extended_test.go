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

package oracle_test

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
)

const card = "gpu.example.com/card"

func extendedRules() map[string]rule {
	one := []problem.Container{{Name: "c", Extended: map[string]int64{card: 1}}}
	return map[string]rule{
		"runs if a device is free": {"kep-4381/node-fits-only-if-allocatable",
			func(s *scene) {
				s.extended([]int64{4}, one...)
				s.Problem.Pods[0].Containers[0].Extended[card] = 4
				s.pending()
			},
			func(s *scene) { s.extended([]int64{1}, one...); s.pending() },
		},
		"no claim while it waits": {"kep-5004/claim-gone-if-not-scheduled",
			func(s *scene) { s.extended([]int64{1}, one...); s.taken(); s.pending() },
			func(s *scene) { s.extended([]int64{1}, one...); s.Outcome.Pods[0].Node = "" },
		},
		"device plugin": {"kep-5004/no-claim-for-device-plugin",
			func(s *scene) {
				s.extended([]int64{1}, one...)
				s.plugged(1)
				s.pending()
				s.Outcome.Pods[0].Node = "node-0"
			},
			func(s *scene) { s.extended([]int64{1}, one...); s.plugged(1) },
		},
		"capacity of a device plugin": {"kep-5004/node-with-device-plugin-by-capacity",
			func(s *scene) {
				s.extended([]int64{1}, one...)
				s.plugged(1)
				s.pending()
				s.Outcome.Pods[0].Node = "node-0"
			},
			func(s *scene) {
				s.extended([]int64{1}, one...)
				s.Problem.Pods[0].Containers[0].Extended[card] = 2
				s.plugged(1)
			},
		},
		"unknown resource": {"kep-5004/node-with-device-plugin-by-capacity",
			func(s *scene) {
				s.extended([]int64{1}, one...)
				s.Classes[1].Spec.ExtendedResourceName = nil
				s.pending()
			},
			func(s *scene) { s.extended([]int64{1}, one...); s.Classes[1].Spec.ExtendedResourceName = nil },
		},
		"one claim": {"kep-5004/one-special-claim",
			func(s *scene) { s.extended([]int64{1}, one...) },
			func(s *scene) {
				s.extended([]int64{1}, one...)
				second := *s.Outcome.Claims[0].DeepCopy()
				second.Name = "pod-extended-resources-second"
				s.Outcome.Claims = append(s.Outcome.Claims, second)
			},
		},
		"in the status": {"kep-5004/claim-in-pod-status",
			func(s *scene) { s.extended([]int64{1}, one...) },
			func(s *scene) { s.extended([]int64{1}, one...); s.Outcome.Pods[0].Extended = nil },
		},
		"its own claim": {"kep-5004/claim-in-pod-status",
			func(s *scene) { s.extended([]int64{1}, one...) },
			func(s *scene) { s.extended([]int64{1}, one...); s.Outcome.Claims[0].OwnerReferences = nil },
		},
		"mapped to a request": {"kep-5004/claim-in-pod-status",
			func(s *scene) { s.extended([]int64{1}, one...) },
			func(s *scene) { s.extended([]int64{1}, one...); s.mappings()[0].RequestName = "other" },
		},
		"class": {"kep-5004/request-of-matching-class",
			// The class created last is used.
			func(s *scene) { s.extended([]int64{1}, one...); s.newest(1) },
			func(s *scene) { s.extended([]int64{1}, one...); s.newest(0) },
		},
		"a mapping for the container": {"kep-5004/mapping-names-of-pod",
			func(s *scene) { s.extended([]int64{1}, one...) },
			func(s *scene) { s.extended([]int64{1}, one...); s.mappings()[0].ContainerName = "other" },
		},
		"number of devices": {"kep-5004/request-per-container-and-resource",
			func(s *scene) { s.extended([]int64{2}, one...); s.Problem.Pods[0].Containers[0].Extended[card] = 2 },
			func(s *scene) { s.extended([]int64{1}, one...); s.Problem.Pods[0].Containers[0].Extended[card] = 2 },
		},
		"no devices": {"kep-5004/mapping-names-of-pod",
			func(s *scene) {
				s.extended(nil, one...)
				s.Problem.Pods[0].Containers[0].Extended[card] = 0
				s.pending()
				s.Outcome.Pods[0].Node = "node-0"
			},
			func(s *scene) {
				s.extended([]int64{1, 1}, one[0], problem.Container{Name: "d", Extended: map[string]int64{card: 1}})
				s.Problem.Pods[0].Containers[1].Extended[card] = 0
			},
		},
		"init containers": {"kep-5004/init-container-reuse",
			func(s *scene) { s.extended([]int64{1, 1}, s.started()...); s.mapTo("init", "r1") },
			func(s *scene) { s.extended([]int64{2, 1}, s.started()...) },
		},
		"sidecars": {"kep-5004/sidecar-keeps-devices",
			func(s *scene) { s.extended([]int64{1, 1}, s.started()...); s.mapTo("init", "r1") },
			func(s *scene) {
				s.extended([]int64{1, 1}, s.started()...)
				s.Problem.Pods[0].Containers = slices.Concat(s.Problem.Pods[0].Containers[1:2], s.Problem.Pods[0].Containers[:1], s.Problem.Pods[0].Containers[2:])
				s.mapTo("init", "r1")
			},
		},
	}
}

// started has an init container requesting two devices, then a sidecar and a container with one each.
func (s *scene) started() []problem.Container {
	return []problem.Container{
		{Name: "init", Kind: problem.Init, Extended: map[string]int64{card: 2}},
		{Name: "sidecar", Kind: problem.Sidecar, Extended: map[string]int64{card: 1}},
		{Name: "c", Extended: map[string]int64{card: 1}},
	}
}

// extended replaces the pod's claim by containers with extended resources, served by requests r0, r1, … with some
// numbers of devices: one for each of the last containers. A first init container is mapped to r0.
func (s *scene) extended(counts []int64, containers ...problem.Container) {
	class := *s.Classes[0].DeepCopy()
	class.Name, class.Spec.ExtendedResourceName = "cards", ptr.To(card)
	s.Classes = append(s.Classes, class)
	pod := problem.Problem{Pods: []problem.Pod{{Name: "pod", Containers: containers}}}
	s.Problem.Pods = pod.Copy().Pods
	special := claim("pod-extended-resources-x")
	special.Annotations = map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"}
	special.OwnerReferences = []metav1.OwnerReference{{Kind: "Pod", Name: "pod", UID: "pod", Controller: ptr.To(true)}}
	status := &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: special.Name}
	var results []resourceapi.DeviceRequestAllocationResult
	for i, count := range counts {
		name := []string{"r0", "r1"}[i]
		r := request(name, count)
		r.Exactly.DeviceClassName = class.Name
		special.Spec.Devices.Requests = append(special.Spec.Devices.Requests, r)
		for range count {
			results = append(results, result(name, []string{"gpu-0", "gpu-1", "gpu-2", "gpu-3"}[len(results)]))
		}
		container := containers[max(0, len(containers)-len(counts))+i].Name
		status.RequestMappings = append(status.RequestMappings, corev1.ContainerExtendedResourceRequest{ContainerName: container, ResourceName: card, RequestName: name})
	}
	if containers[0].Kind == problem.Init {
		status.RequestMappings = append(status.RequestMappings, corev1.ContainerExtendedResourceRequest{ContainerName: containers[0].Name, ResourceName: card, RequestName: "r0"})
	}
	s.claims(special)
	s.Problem.Claims = nil
	s.allocate(0, results...)
	s.Outcome.Pods[0].Claims, s.Outcome.Pods[0].Extended = nil, status
}

// newest gives both classes the extended resource.
func (s *scene) newest(class int) {
	s.Classes[0].Spec.ExtendedResourceName = ptr.To(card)
	s.Classes[class].CreationTimestamp = metav1.NewTime(time.Unix(1, 0))
}

func (s *scene) mappings() []corev1.ContainerExtendedResourceRequest {
	return s.Outcome.Pods[0].Extended.RequestMappings
}

func (s *scene) mapTo(container, request string) {
	e := &s.Outcome.Pods[0].Extended.RequestMappings
	*e = append(*e, corev1.ContainerExtendedResourceRequest{ContainerName: container, ResourceName: card, RequestName: request})
}

// pending removes the node and the claim for extended resources.
func (s *scene) pending() {
	s.Outcome.Claims, s.Outcome.Pods[0].Node, s.Outcome.Pods[0].Extended = nil, "", nil
}

// plugged gives all nodes device plugins.
func (s *scene) plugged(devices int64) {
	for i := range s.Nodes {
		s.Nodes[i].Extended = map[string]int64{card: devices}
	}
}

// taken allocates all devices to another claim.
func (s *scene) taken() {
	b := result("r", "gpu-0")
	b.Pool = "b"
	s.use("other", result("r", "gpu-0"), result("r", "gpu-1"), result("r", "gpu-2"), b)
}
