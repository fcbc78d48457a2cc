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

package scheduler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
)

// extendedRequests turns extended resources into the requests of the special claim and their mapping
// to containers. Requests are sorted by name.
//
// Each container running for the pod's lifetime gets one request per resource. An init container that
// terminates before they start uses theirs. If those are not enough, all such init containers share
// one extra request for the maximum shortfall, because they run one after the other.
func extendedRequests(pod *v1.Pod, resources []extendedResource) ([]resourceapi.DeviceRequest, []v1.ContainerExtendedResourceRequest) {
	var requests []resourceapi.DeviceRequest
	var mappings []v1.ContainerExtendedResourceRequest
	for _, r := range resources {
		p := newRequestPlan(pod, r)
		p.addLasting()
		p.addInit()
		requests = append(requests, p.requests()...)
		mappings = append(mappings, p.lasting...)
		mappings = append(mappings, p.init...)
	}
	slices.SortFunc(requests, func(a, b resourceapi.DeviceRequest) int { return strings.Compare(a.Name, b.Name) })
	return requests, mappings
}

// requestPlan divides the requests for one resource among the containers of a pod.
type requestPlan struct {
	resource   v1.ResourceName
	class      string
	containers []*v1.Container // init containers first
	inits      int             // number of init containers

	// own[i] is the request of container i; nil if it has none.
	own []*resourceapi.DeviceRequest
	// extra is the request shared by init containers; nil if none is needed.
	extra *resourceapi.DeviceRequest

	lasting, init []v1.ContainerExtendedResourceRequest
}

func newRequestPlan(pod *v1.Pod, r extendedResource) *requestPlan {
	p := &requestPlan{resource: r.name, class: r.class.Name, inits: len(pod.Spec.InitContainers)}
	for i := range pod.Spec.InitContainers {
		p.containers = append(p.containers, &pod.Spec.InitContainers[i])
	}
	for i := range pod.Spec.Containers {
		p.containers = append(p.containers, &pod.Spec.Containers[i])
	}
	p.own = make([]*resourceapi.DeviceRequest, len(p.containers))
	return p
}

// ends reports whether container i terminates before the ones after it start: init containers except
// sidecars.
func (p *requestPlan) ends(i int) bool {
	policy := p.containers[i].RestartPolicy
	return i < p.inits && (policy == nil || *policy != v1.ContainerRestartPolicyAlways)
}

// wants returns the number of devices container i requests.
func (p *requestPlan) wants(i int) int64 {
	quantity, ok := p.containers[i].Resources.Requests[p.resource]
	if !ok {
		return 0
	}
	count, ok := quantity.AsInt64()
	if !ok {
		return 0
	}
	return count
}

func (p *requestPlan) addLasting() {
	for i := range p.containers {
		if count := p.wants(i); count > 0 && !p.ends(i) {
			p.own[i] = p.request(i, count)
			p.lasting = append(p.lasting, p.mapping(i, p.own[i].Name))
		}
	}
}

func (p *requestPlan) addInit() {
	var shared []int // entries of p.init for the extra request
	for i := range p.containers {
		missing := p.wants(i)
		if missing == 0 || !p.ends(i) {
			continue
		}
		// Earlier sidecars run at the same time; later ones do not.
		for _, later := range p.own[i:] {
			if later != nil && missing > 0 {
				missing -= later.Exactly.Count
				p.init = append(p.init, p.mapping(i, later.Name))
			}
		}
		if missing <= 0 {
			continue
		}
		if p.extra == nil || p.extra.Exactly.Count < missing {
			p.extra = p.request(i, missing)
		}
		shared = append(shared, len(p.init))
		p.init = append(p.init, p.mapping(i, ""))
	}
	for _, entry := range shared {
		p.init[entry].RequestName = p.extra.Name
	}
}

func (p *requestPlan) requests() []resourceapi.DeviceRequest {
	var requests []resourceapi.DeviceRequest
	if p.extra != nil {
		requests = append(requests, *p.extra)
	}
	for _, request := range p.own {
		if request != nil {
			requests = append(requests, *request)
		}
	}
	return requests
}

func (p *requestPlan) request(i int, count int64) *resourceapi.DeviceRequest {
	return &resourceapi.DeviceRequest{
		Name: p.requestName(i),
		Exactly: &resourceapi.ExactDeviceRequest{
			DeviceClassName: p.class,
			AllocationMode:  resourceapi.DeviceAllocationModeExactCount,
			Count:           count,
		},
	}
}

// requestName numbers containers and, sorted by name, the resources of the container.
func (p *requestPlan) requestName(i int) string {
	names := slices.Sorted(maps.Keys(p.containers[i].Resources.Requests))
	return fmt.Sprintf("container-%d-request-%d", i, slices.Index(names, p.resource))
}

func (p *requestPlan) mapping(i int, request string) v1.ContainerExtendedResourceRequest {
	return v1.ContainerExtendedResourceRequest{
		ContainerName: p.containers[i].Name, ResourceName: string(p.resource), RequestName: request,
	}
}
