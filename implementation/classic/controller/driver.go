package controller

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// Driver is what a driver does itself. Methods are called by several goroutines at a
// time, but Allocate and Deallocate never for the same claim. They return soon after
// ctx ends. Each error is tried again with back-off, for as long as the call is needed.
type Driver interface {
	// Parameters reads and checks the parameters of a claim: the objects that its class and
	// its Config name, which package parametersref finds, or configurations in the claim; that
	// one is missing is an error. What it returns is in Claim.Parameters later; it is read anew for each attempt, and not once
	// the claim is allocated: what is needed of it then belongs into Allocation.Handle, so
	// that nobody has to keep the objects from being changed or deleted (docs/adr/0021).
	Parameters(ctx context.Context, claim *Claim) (any, error)
	// Allocate takes the resource for a claim, so that it can be used on the node; for a
	// claim with immediate allocation node is empty, and the driver chooses. It is
	// idempotent: if the claim's UID has a resource already, that is returned. After an
	// error nothing need be held; what is held nevertheless is freed by Deallocate or found
	// by the next Allocate.
	Allocate(ctx context.Context, claim *Claim, node string) (*Allocation, error)
	// Deallocate frees what there is for the record's claim, found by its spec.claimUID or
	// its status.resourceHandle. The handle is empty if Allocate did not end or its result
	// was lost. There may be nothing to free; the claim and its class may be gone.
	Deallocate(ctx context.Context, record *v1alpha1.ClassicClaim) error
	// UnsuitableNodes returns for claims of a pod, by Claim.PodClaim, those of the nodes
	// for which they cannot be allocated, all together. It takes nothing.
	UnsuitableNodes(ctx context.Context, pod *corev1.Pod, claims []*Claim, nodes []string) (map[string][]string, error)
}

// Claim is a claim for a driver. All objects are read only.
type Claim struct {
	Claim *resourceapi.ResourceClaim
	Class *v1alpha1.ResourceClass
	// Config is what the user chose.
	Config v1alpha1.ClaimConfig
	// Parameters are what Driver.Parameters returned.
	Parameters any
	// PodClaim is the claim's name in the pod's spec, for UnsuitableNodes only.
	PodClaim string

	request, deviceClass string
}

// Allocation is what a driver took for a claim.
type Allocation struct {
	// Devices are what the driver's part on the node is to prepare, at most 32. None is
	// right for an optional resource that there is not.
	Devices []Device
	// Nodes are where the resource is available. nil means everywhere.
	Nodes *corev1.NodeSelector
	// Handle is what the driver finds the resource by, at most 16 KiB.
	Handle string
	// UserLimit is how many pods may use the claim at the same time: -1 for any number, 0
	// for the default, which is 1.
	UserLimit int32
}

// Device names a device by pool and device, as a ResourceSlice would. The two and the
// name of the driver are unique in the cluster.
type Device struct{ Pool, Device string }

func (a *Allocation) userLimit() int32 {
	if a.UserLimit == 0 {
		return 1
	}
	return a.UserLimit
}

// result is the allocation as it is written into the claim, with the configurations
// that the driver finds in claim and class, as the scheduler would copy them.
func (a *Allocation) result(driver string, claim *Claim, class *resourceapi.DeviceClass, now time.Time) *resourceapi.AllocationResult {
	// Without a timestamp Kubernetes' scheduler adds one, which is refused: docs/adr/0020.
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
