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

package controller

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// Driver is implemented by a driver. Methods are called concurrently, but Allocate and Deallocate
// never for the same claim. They return soon after ctx ends. Each error is retried with backoff,
// for as long as the call is needed.
type Driver interface {
	// Parameters reads and checks the parameters of a claim: the objects referenced by its class
	// and its Config, found with package parametersref, or configurations in the claim. A missing
	// object is an error. The result is stored in Claim.Parameters. Parameters are read for each
	// attempt, but not after the claim is allocated: put all information needed then into
	// Allocation.Handle, so objects may be changed or deleted (docs/adr/0021).
	Parameters(ctx context.Context, claim *Claim) (any, error)
	// Allocate allocates a resource for a claim, usable on the node. For immediate allocation node
	// is empty, and the driver chooses. It is idempotent: if the claim's UID has a resource
	// already, it is returned. After an error nothing need be held; Deallocate or the next Allocate
	// must handle leftovers.
	Allocate(ctx context.Context, claim *Claim, node string) (*Allocation, error)
	// Deallocate frees the resources of the record's claim, identified by its spec.claimUID or
	// status.resourceHandle. The handle is empty if Allocate did not finish or its result was lost.
	// There may be nothing to free; the claim and its class may be gone.
	Deallocate(ctx context.Context, record *v1alpha1.ClassicClaim) error
	// UnsuitableNodes returns for claims of a pod, by Claim.PodClaim, the nodes where they cannot
	// be allocated together. It allocates nothing.
	UnsuitableNodes(ctx context.Context, pod *corev1.Pod, claims []*Claim, nodes []string) (map[string][]string, error)
}

// Claim is a claim for a driver. All objects are read only.
type Claim struct {
	Claim *resourceapi.ResourceClaim
	Class *v1alpha1.ResourceClass
	// Config is the user's configuration.
	Config v1alpha1.ClaimConfig
	// Parameters is the result of Driver.Parameters.
	Parameters any
	// PodClaim is the claim's name in the pod's spec, for UnsuitableNodes only.
	PodClaim string

	request, deviceClass string
}

// Allocation is a driver's allocation for a claim.
type Allocation struct {
	// Devices are the devices to prepare on the node, at most 32. It may be empty for an
	// unavailable optional resource.
	Devices []Device
	// Nodes are the nodes where the resource is available; nil means everywhere.
	Nodes *corev1.NodeSelector
	// Handle identifies the resource to the driver, at most 16 KiB.
	Handle string
	// UserLimit is how many pods may use the claim at the same time: -1 for any number, 0 for the
	// default of 1.
	UserLimit int32
}

// Device names a device by pool and device, like a ResourceSlice. Together with the driver name
// they are unique in the cluster.
type Device struct{ Pool, Device string }

func (a *Allocation) userLimit() int32 {
	if a.UserLimit == 0 {
		return 1
	}
	return a.UserLimit
}

// result is the allocation for the claim's status, with the driver's configurations from claim and
// class, as copied by the scheduler.
func (a *Allocation) result(driver string, claim *Claim, class *resourceapi.DeviceClass, now time.Time) *resourceapi.AllocationResult {
	// Without a timestamp Kubernetes' scheduler adds one, and the update is rejected:
	// docs/adr/0020.
	result := &resourceapi.AllocationResult{NodeSelector: a.Nodes, AllocationTimestamp: &metav1.Time{Time: now}}
	for _, device := range a.Devices {
		result.Devices.Results = append(result.Devices.Results, resourceapi.DeviceRequestAllocationResult{
			Request: claim.request, Driver: driver, Pool: device.Pool, Device: device.Device,
		})
	}
	add := func(source resourceapi.AllocationConfigSource, config resourceapi.DeviceConfiguration) {
		result.Devices.Config = append(result.Devices.Config, resourceapi.DeviceAllocationConfiguration{
			Source: source, Requests: []string{claim.request}, DeviceConfiguration: *config.DeepCopy(),
		})
	}
	for _, config := range class.Spec.Config {
		if config.Opaque != nil && config.Opaque.Driver == driver {
			add(resourceapi.AllocationConfigSourceClass, config.DeviceConfiguration)
		}
	}
	for _, config := range claim.Claim.Spec.Devices.Config {
		if config.Opaque != nil && config.Opaque.Driver == driver {
			add(resourceapi.AllocationConfigSourceClaim, config.DeviceConfiguration)
		}
	}
	add(resourceapi.AllocationConfigSourceClass, v1alpha1.AllocationConfig{ResourceHandle: a.Handle, UserLimit: a.userLimit()}.DeviceConfiguration())
	return result
}
