package faults

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Spoil makes the cluster wrong in a way that a soak has to notice: one that does
// not fail afterwards proves nothing.
type Spoil struct {
	// Way is one of Ways.
	Way string
	// Image is what a pod would run.
	Image string
}

var _ soak.Fault = Spoil{}

// The ways to spoil a cluster.
const (
	DoubleAllocation = "double-allocation"
	LeakedClaim      = "leaked-claim"
	StuckPod         = "stuck-pod"
	FailedPod        = "failed-pod"
	SkippedPrepare   = "skipped-prepare"
	SkippedUnprepare = "skipped-unprepare"
)

// Ways lists the ways to spoil a cluster.
func Ways() []string {
	return []string{DoubleAllocation, LeakedClaim, StuckPod, FailedPod, SkippedPrepare, SkippedUnprepare}
}

// allWays lists the ways to spoil soaks of all kinds.
func allWays() []string {
	all := slices.Concat(Ways(), FabricWays(), ClassicWays())
	slices.Sort(all)
	return slices.Compact(all)
}

// Name implements soak.Fault.
func (s Spoil) Name() string { return "spoil with " + s.Way }

// Do implements soak.Fault.
func (s Spoil) Do(ctx context.Context, target soak.Target) error {
	var err error
	switch s.Way {
	case DoubleAllocation:
		err = allocateTwice(ctx, target)
	case LeakedClaim:
		err = leakClaim(ctx, target)
	case StuckPod:
		pod := objects.Pod("spoiled", s.Image)
		pod.Spec.NodeSelector = map[string]string{"dra-conformance.github.io/no-node-has": "this"}
		_, err = target.Client.CoreV1().Pods(target.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	case FailedPod:
		pod := objects.Pod("spoiled", s.Image)
		pod.Spec.Containers[0].Command = []string{"false"}
		_, err = target.Client.CoreV1().Pods(target.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	case SkippedPrepare:
		err = skip(ctx, target, spec.Prepare)
	case SkippedUnprepare:
		err = skip(ctx, target, spec.Unprepare)
	case DetachedInUse, HadByTwo, PublishedUnattached:
		err = spoilFabric(ctx, target, s.Way)
	case UnheldDevice, HeldTwice, LeftDevice, LeftRecord, LeftScheduling:
		err = spoilClassic(ctx, target, s.Way)
	default:
		err = fmt.Errorf("unknown way, known are %s", strings.Join(allWays(), ", "))
	}
	if err != nil {
		return fmt.Errorf("spoil the cluster with %s: %w", s.Way, err)
	}
	return nil
}

// skip makes the drivers answer calls without doing anything, as if a kubelet had
// skipped them. Some pods with the claims may never run.
func skip(ctx context.Context, target soak.Target, method spec.Method) error {
	lie := []spec.Fault{{Method: method, Kind: spec.FaultNothingDone, Times: 5}}
	for _, node := range target.Workers {
		if err := target.Drivers.Change(ctx, node, target.Driver, spec.DriverChange{Faults: &lie}); err != nil {
			return err
		}
	}
	return nil
}

// allocateTwice allocates one device to two claims, as a scheduler would that does
// not know of its own first allocation.
func allocateTwice(ctx context.Context, target soak.Target) error {
	templates, err := target.Client.ResourceV1().ResourceClaimTemplates(target.Namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil || len(templates.Items) == 0 {
		return fmt.Errorf("find a template: %w", err)
	}
	device := resourceapi.DeviceRequestAllocationResult{Driver: "nobody", Pool: "spoiled", Device: "spoiled"}
	if target.Classic == nil { // else drivers publish none
		if device, err = freeDevice(ctx, target); err != nil {
			return err
		}
	}
	for _, name := range []string{"spoiled-1", "spoiled-2"} {
		if err := allocate(ctx, target, &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: templates.Items[0].Spec.Spec}, device); err != nil {
			return err
		}
	}
	return nil
}

// allocate makes a claim, allocates a device to it and reserves it, as no scheduler would.
func allocate(ctx context.Context, target soak.Target, claim *resourceapi.ResourceClaim, device resourceapi.DeviceRequestAllocationResult, users ...resourceapi.ResourceClaimConsumerReference) error {
	claims := target.Client.ResourceV1().ResourceClaims(target.Namespace)
	claim, err := claims.Create(ctx, claim, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	device.Request = claim.Spec.Devices.Requests[0].Name
	claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{device}}}
	claim.Status.ReservedFor = users
	_, err = claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{})
	return err
}

// freeDevice is the last device of some slice whose devices can be had only whole.
func freeDevice(ctx context.Context, target soak.Target) (resourceapi.DeviceRequestAllocationResult, error) {
	published, err := publishedSlices(ctx, target)
	if err != nil {
		return resourceapi.DeviceRequestAllocationResult{}, err
	}
	for _, s := range published {
		if n := len(s.Spec.Devices); n > 0 && !ptr.Deref(s.Spec.Devices[n-1].AllowMultipleAllocations, false) {
			return resourceapi.DeviceRequestAllocationResult{Driver: s.Spec.Driver, Pool: s.Spec.Pool.Name, Device: s.Spec.Devices[n-1].Name}, nil
		}
	}
	return resourceapi.DeviceRequestAllocationResult{}, fmt.Errorf("driver %s publishes no device", target.Driver)
}

// leakClaim makes a claim of a pod that does not exist, which nobody can remove.
func leakClaim(ctx context.Context, target soak.Target) error {
	claim := objects.Claim("spoiled", objects.Request("device", "none"))
	claim.Finalizers = []string{soak.Finalizer}
	claim.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: corev1.SchemeGroupVersion.String(), Kind: "Pod", Name: "nobody", UID: types.UID("00000000-0000-0000-0000-000000000000"),
		Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}}
	_, err := target.Client.ResourceV1().ResourceClaims(target.Namespace).Create(ctx, claim, metav1.CreateOptions{})
	return err
}
