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

package oracle

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/problem"
)

// mapping checks the requests for a pod's extended resources, and their mapping to containers
// (PodExtendedResourceClaimStatus.RequestMappings).
type mapping struct {
	j      *judge
	object string
	pod    *problem.Pod
	// served lists the extended resources served by classes.
	served   []string
	requests map[string]*mapped
}

// mapped is a request of the claim.
type mapped struct {
	class    string
	count    int64
	resource string
	// users are the indexes of its containers.
	users []int
}

func (m *mapping) judge(entries []corev1.ContainerExtendedResourceRequest, claim *resourceapi.ResourceClaim) {
	for _, r := range claim.Spec.Devices.Requests {
		m.requests[r.Name] = &mapped{}
		if r.Exactly != nil {
			m.requests[r.Name].class, m.requests[r.Name].count = r.Exactly.DeviceClassName, r.Exactly.Count
		}
	}
	for _, e := range entries {
		m.add(e)
	}
	for i := range m.pod.Containers {
		for _, name := range m.served {
			m.container(i, name)
		}
	}
	for _, name := range m.served {
		total := int64(0)
		for _, r := range m.requests {
			if r.resource == name {
				total += r.count
			}
		}
		if needed := m.pod.Extended()[name]; total != needed {
			m.j.violated(initReuse, m.object, "has %d devices for extended resource %s instead of %d", total, name, needed)
		}
	}
	for name, r := range m.requests {
		if r.resource == "" {
			m.j.violated(requestEach, m.object, "has request %s, which is mapped to no container", name)
		}
	}
}

// add checks an entry of the mapping.
func (m *mapping) add(e corev1.ContainerExtendedResourceRequest) {
	container := slices.IndexFunc(m.pod.Containers, func(c problem.Container) bool { return c.Name == e.ContainerName })
	if container < 0 || m.pod.Containers[container].Extended[e.ResourceName] == 0 || !slices.Contains(m.served, e.ResourceName) {
		m.j.violated(mappingOfPod, m.object, "has a mapping for extended resource %s of container %s, which does not request it", e.ResourceName, e.ContainerName)
		return
	}
	r := m.requests[e.RequestName]
	if r == nil {
		m.j.violated(claimInStatus, m.object, "has a mapping to request %s, which its claim does not have", e.RequestName)
		return
	}
	if class := m.j.w.serving(e.ResourceName).Name; r.class != class {
		m.j.violated(requestOfClass, m.object, "has request %s of class %s for extended resource %s of class %s", e.RequestName, r.class, e.ResourceName, class)
	}
	if r.resource != "" && r.resource != e.ResourceName {
		m.j.violated(requestEach, m.object, "has request %s for extended resources %s and %s", e.RequestName, r.resource, e.ResourceName)
	}
	r.resource = e.ResourceName
	r.users = append(r.users, container)
}

// container checks the devices of a container for an extended resource.
func (m *mapping) container(i int, name string) {
	c := &m.pod.Containers[i]
	got := int64(0)
	for _, r := range m.requests {
		if r.resource != name || !slices.Contains(r.users, i) {
			continue
		}
		got += r.count
		// Init containers may use devices of containers starting after them.
		if slices.ContainsFunc(r.users, func(other int) bool {
			return other != i && m.pod.Containers[other].Kind != problem.Init && (c.Kind != problem.Init || other < i)
		}) {
			m.j.violated(sidecarKeeps, m.object, "container %s has devices of another container running at the same time", c.Name)
		}
	}
	if needed := c.Extended[name]; got < needed || got > needed && c.Kind != problem.Init {
		m.j.violated(requestEach, m.object, "container %s has %d devices for extended resource %s instead of %d", c.Name, got, name, needed)
	}
}
