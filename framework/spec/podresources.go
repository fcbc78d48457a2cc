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

package spec

// PodResources are a pod's devices in the kubelet's podresources API, queried for the pod alone (Get) or for all pods
// (List).
type PodResources struct {
	List []ContainerDevice `json:"list,omitempty"`
	Get  []ContainerDevice `json:"get,omitempty"`
	// Containers are the pod's listed containers, with devices and without.
	Containers []string `json:"containers,omitempty"`
	// Pods are all listed pods of the pod's namespace.
	Pods []string `json:"pods,omitempty"`
	// Allocatable are the IDs of all devices of GetAllocatableResources, of any owner.
	Allocatable []string `json:"allocatable,omitempty"`
}

// ContainerDevice is a device of a claim in one container.
type ContainerDevice struct {
	Container string `json:"container"`
	Namespace string `json:"namespace"`
	Claim     string `json:"claim"`
	Driver    string `json:"driver"`
	Pool      string `json:"pool"`
	Device    string `json:"device"`
	// Share is the share ID of a shared device.
	Share string `json:"share,omitempty"`
	// CDIDevices are fully qualified CDI names.
	CDIDevices []string `json:"cdiDevices,omitempty"`
}
