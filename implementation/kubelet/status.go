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

package kubelet

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// UpdateStatus adds device health to the status of a pod's containers and init containers, for each
// of their requests and those behind extended resources (kubernetes#139939).
func (m *Manager) UpdateStatus(ctx context.Context, pod *corev1.Pod, status *corev1.PodStatus) {
	if !m.config.Gates.ResourceHealthStatus {
		return
	}
	pod = m.gated(pod)
	m.updateStatuses(ctx, pod, pod.Spec.InitContainers, status.InitContainerStatuses)
	m.updateStatuses(ctx, pod, pod.Spec.Containers, status.ContainerStatuses)
}

func (m *Manager) updateStatuses(ctx context.Context, pod *corev1.Pod, containers []corev1.Container, statuses []corev1.ContainerStatus) {
	for i := range statuses {
		status := &statuses[i]
		at := slices.IndexFunc(containers, func(c corev1.Container) bool { return c.Name == status.Name })
		if at < 0 {
			continue
		}
		for _, request := range m.containerRequests(ctx, pod, &containers[at]) {
			resource := corev1.ResourceStatus{Name: statusName(request), Resources: m.healthOf(request.Devices)}
			status.AllocatedResourcesStatus = withResource(status.AllocatedResourcesStatus, resource)
		}
	}
}

func (m *Manager) containerRequests(ctx context.Context, pod *corev1.Pod, container *corev1.Container) []nodeplan.ContainerRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	requests, err := m.state.ContainerRequests(pod, container)
	if err != nil {
		klog.FromContext(ctx).V(4).Info("No health of devices", "pod", klog.KObj(pod), "container", container.Name, "err", err)
	}
	return requests
}

// statusName is the name required by the API server: the entry in the pod's spec, or the claim
// itself for extended resources.
func statusName(request nodeplan.ContainerRequest) corev1.ResourceName {
	name := request.Entry
	if name == "" {
		name = request.Name
	}
	if request.Request != "" {
		name += "/" + request.Request
	}
	return corev1.ResourceName("claim:" + name)
}

// healthOf returns the health of devices, without duplicate resource IDs: several devices may share
// a CDI device.
func (m *Manager) healthOf(devices []nodeplan.ContainerDevice) []corev1.ResourceHealth {
	var resources []corev1.ResourceHealth
	for _, device := range devices {
		health, message := m.health.get(device.Driver, deviceName{device.PoolName, device.DeviceName})
		resource := corev1.ResourceHealth{ResourceID: resourceID(device), Health: health}
		if message != "" && m.config.Gates.ResourceHealthStatusMessage {
			resource.Message = &message
		}
		if !slices.ContainsFunc(resources, func(r corev1.ResourceHealth) bool { return r.ResourceID == resource.ResourceID }) {
			resources = append(resources, resource)
		}
	}
	return resources
}

func resourceID(device nodeplan.ContainerDevice) corev1.ResourceID {
	if len(device.CDIDeviceIDs) > 0 {
		return corev1.ResourceID(device.CDIDeviceIDs[0])
	}
	return corev1.ResourceID(fmt.Sprintf("%s/%s/%s", device.Driver, device.PoolName, device.DeviceName))
}

// withResource replaces the entry of the same name, or adds one. It omits an entry without devices.
func withResource(all []corev1.ResourceStatus, resource corev1.ResourceStatus) []corev1.ResourceStatus {
	at := slices.IndexFunc(all, func(r corev1.ResourceStatus) bool { return r.Name == resource.Name })
	switch {
	case len(resource.Resources) == 0 && at >= 0:
		return slices.Delete(all, at, at+1)
	case len(resource.Resources) == 0:
		return all
	case at >= 0:
		all[at] = resource
		return all
	default:
		return append(all, resource)
	}
}
