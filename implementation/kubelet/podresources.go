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

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
)

// PodResources returns a container's claims for the podresources API, with the devices of its
// requests, each with its own CDI devices.
func (m *Manager) PodResources(ctx context.Context, pod *corev1.Pod, container *corev1.Container) []*podresources.DynamicResource {
	claims, err := m.containerClaims(m.gated(pod), container)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Failed to list devices of container", "pod", klog.KObj(pod), "container", container.Name)
		return nil
	}
	resources := make([]*podresources.DynamicResource, 0, len(claims))
	for _, claim := range claims {
		resource := &podresources.DynamicResource{ClaimNamespace: claim.Namespace, ClaimName: claim.Name}
		for _, device := range claim.Devices {
			resource.ClaimResources = append(resource.ClaimResources, &podresources.ClaimResource{
				DriverName: device.Driver,
				PoolName:   device.PoolName,
				DeviceName: device.DeviceName,
				ShareId:    (*string)(device.ShareID),
				CdiDevices: cdiDevices(device.CDIDeviceIDs),
			})
		}
		resources = append(resources, resource)
	}
	return resources
}

func cdiDevices(ids []string) []*podresources.CDIDevice {
	devices := make([]*podresources.CDIDevice, 0, len(ids))
	for _, id := range ids {
		devices = append(devices, &podresources.CDIDevice{Name: id})
	}
	return devices
}
