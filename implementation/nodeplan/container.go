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

package nodeplan

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// ContainerClaim is a claim used by a container, with the devices of its own requests only.
type ContainerClaim struct {
	ClaimID
	// Entry is the name in the pod's spec, empty for extended resources.
	Entry   string
	Devices []ContainerDevice
	// Incomplete is set if devices of a driver are unknown because the checkpoint was lost. The
	// claim has to be prepared again, see Desired.Restore.
	Incomplete bool
}

// ContainerDevice is a device for a container.
type ContainerDevice struct {
	Driver string
	Device
}

// ContainerClaims returns the claims of a container or init container in the order of the pod's
// spec, with the extended resource claim last.
func (s *State) ContainerClaims(pod *corev1.Pod, container *corev1.Container) ([]ContainerClaim, error) {
	refs, err := containerRefs(pod, container)
	if err != nil {
		return nil, err
	}
	var claims []ContainerClaim
	for _, ref := range refs {
		id := ClaimID{Namespace: pod.Namespace, Name: ref.name}
		c := s.claims[id]
		if c == nil {
			return nil, fmt.Errorf("internal error: unable to get claim info for ResourceClaim %s in namespace %s", id.Name, id.Namespace)
		}
		claims = append(claims, ContainerClaim{ClaimID: id, Entry: ref.entry, Devices: c.serving(ref.requests), Incomplete: c.incomplete()})
	}
	return claims, nil
}

func (c *claim) serving(requests []string) []ContainerDevice {
	var devices []ContainerDevice
	for _, driver := range c.drivers() {
		for _, device := range c.work[driver].state.Devices {
			if device.serves(requests) {
				devices = append(devices, ContainerDevice{Driver: driver, Device: device})
			}
		}
	}
	return devices
}

func (c *claim) incomplete() bool {
	for _, w := range c.work {
		if w.state.DevicesLost && !w.done(Prepare) {
			return true
		}
	}
	return false
}

// ContainerRequest is a container's reference to a request of a claim, or to a whole claim.
type ContainerRequest struct {
	ClaimID
	// Entry is the name in the pod's spec, empty for extended resources.
	Entry string
	// Request is empty for a whole claim.
	Request string
	Devices []ContainerDevice
}

// ContainerRequests returns each request of a container or init container with its devices. Claims
// not on this node are omitted.
func (s *State) ContainerRequests(pod *corev1.Pod, container *corev1.Container) ([]ContainerRequest, error) {
	refs, err := containerRefs(pod, container)
	if err != nil {
		return nil, err
	}
	var requests []ContainerRequest
	for _, ref := range refs {
		id := ClaimID{Namespace: pod.Namespace, Name: ref.name}
		c := s.claims[id]
		if c == nil {
			continue
		}
		for _, request := range ref.requests {
			requests = append(requests, ContainerRequest{ClaimID: id, Entry: ref.entry, Request: request, Devices: c.serving([]string{request})})
		}
	}
	return requests, nil
}

// CDIDevices returns the CDI device names of claims, without duplicates: drivers may share one
// among devices.
func CDIDevices(claims []ContainerClaim) []string {
	var ids []string
	for _, claim := range claims {
		for _, device := range claim.Devices {
			for _, id := range device.CDIDeviceIDs {
				if !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
		}
	}
	return ids
}

type containerRef struct {
	podClaim
	// requests are the container's requests; an empty name means all.
	requests []string
}

func containerRefs(pod *corev1.Pod, container *corev1.Container) ([]containerRef, error) {
	var refs []containerRef
	for i := range pod.Spec.ResourceClaims {
		entry := &pod.Spec.ResourceClaims[i]
		var requests []string
		for _, named := range container.Resources.Claims {
			if named.Name == entry.Name {
				requests = append(requests, named.Request)
			}
		}
		if len(requests) == 0 {
			continue
		}
		name, _, err := resourceclaim.Name(pod, entry)
		if err != nil {
			return nil, err
		}
		if name != nil {
			refs = append(refs, containerRef{podClaim{entry: entry.Name, name: *name}, requests})
		}
	}
	if requests := extendedRequests(pod, container); len(requests) > 0 {
		refs = append(refs, containerRef{podClaim{name: pod.Status.ExtendedResourceClaimStatus.ResourceClaimName}, requests})
	}
	return refs, nil
}

// extendedRequests are the requests behind a container's extended resources. One resource may have
// several requests.
func extendedRequests(pod *corev1.Pod, container *corev1.Container) []string {
	if pod.Status.ExtendedResourceClaimStatus == nil {
		return nil
	}
	var requests []string
	for _, mapping := range pod.Status.ExtendedResourceClaimStatus.RequestMappings {
		quantity := container.Resources.Requests[corev1.ResourceName(mapping.ResourceName)]
		if mapping.ContainerName == container.Name && !quantity.IsZero() {
			requests = append(requests, mapping.RequestName)
		}
	}
	return requests
}

// serves reports whether a device belongs to one of the requests. A driver may return the chosen
// subrequest, containers name the request.
func (d Device) serves(requests []string) bool {
	return len(d.RequestNames) == 0 || slices.ContainsFunc(requests, func(request string) bool {
		return request == "" || slices.ContainsFunc(d.RequestNames, func(name string) bool {
			return name == request || resourceclaim.BaseRequestRef(name) == request
		})
	})
}
