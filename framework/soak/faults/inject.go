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

package faults

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Inject violates a rule of the audit: a soak that passes afterwards proves nothing.
type Inject struct {
	spec.Defect
	// Rule is the rule to be reported.
	Rule audit.Rule

	image  string
	inject func(ctx context.Context, target soak.Target, image string) error
}

var _ soak.Fault = Inject{}

// NewInject returns a fault without a pod.
func NewInject(id string, rule audit.Rule, inject func(context.Context, soak.Target) error) Inject {
	return Inject{Defect: spec.Defect{ID: id}, Rule: rule, inject: func(ctx context.Context, target soak.Target, _ string) error { return inject(ctx, target) }}
}

// With is the fault with the image for its pod.
func (i Inject) With(image string) Inject {
	i.image = image
	return i
}

// Name implements soak.Fault.
func (i Inject) Name() string { return "spoil with " + i.ID }

// Do implements soak.Fault.
func (i Inject) Do(ctx context.Context, target soak.Target) error {
	if err := i.inject(ctx, target, i.image); err != nil {
		return fmt.Errorf("spoil the cluster with %s: %w", i.ID, err)
	}
	return nil
}

// IDs are those of faults.
func IDs(all []Inject) []string {
	ids := make([]string, 0, len(all))
	for _, i := range all {
		ids = append(ids, i.ID)
	}
	return ids
}

// Find returns the fault of an ID.
func Find(known []Inject, id string) (Inject, error) {
	i := slices.IndexFunc(known, func(i Inject) bool { return i.ID == id })
	if i < 0 {
		return Inject{}, fmt.Errorf("unknown way %q, known are %s", id, strings.Join(IDs(known), ", "))
	}
	return known[i], nil
}

const (
	// Nobody is the name of whoever there is not.
	Nobody = "nobody"
	// NobodysUID is the UID of no object.
	NobodysUID = "00000000-0000-0000-0000-000000000000"
)

// Injections lists the faults for clusters with real nodes.
func Injections() []Inject {
	return []Inject{
		DoubleAllocation(), LeakedClaim(), StuckPod(),
		{
			Defect: spec.Defect{ID: "failed-pod"}, Rule: audit.PodFailed,
			inject: func(ctx context.Context, target soak.Target, image string) error {
				pod := objects.Pod("spoiled", image)
				pod.Spec.Containers[0].Command = []string{"false"}
				_, err := target.Client.CoreV1().Pods(target.Namespace).Create(ctx, pod, metav1.CreateOptions{})
				return err
			},
		},
		NewInject("skipped-prepare", audit.NotPrepared, skip(spec.Prepare)),
		NewInject("skipped-unprepare", audit.StillPrepared, skip(spec.Unprepare)),
	}
}

// DoubleAllocation allocates a device twice.
func DoubleAllocation() Inject {
	return NewInject("double-allocation", audit.DoubleAllocated, allocateTwice)
}

// LeakedClaim leaves a claim of a missing pod.
func LeakedClaim() Inject { return NewInject("leaked-claim", audit.LeakedClaim, leakClaim) }

// StuckPod creates an unschedulable pod.
func StuckPod() Inject {
	return Inject{
		Defect: spec.Defect{ID: "stuck-pod"}, Rule: audit.PodStuck,
		inject: func(ctx context.Context, target soak.Target, image string) error {
			pod := objects.Pod("spoiled", image)
			pod.Spec.NodeSelector = map[string]string{"dra-conformance.github.io/no-node-has": "this"}
			_, err := target.Client.CoreV1().Pods(target.Namespace).Create(ctx, pod, metav1.CreateOptions{})
			return err
		},
	}
}

// skip makes the drivers answer calls without doing anything, as if a kubelet had skipped them. Some pods with the
// claims may never run.
func skip(method spec.Method) func(context.Context, soak.Target) error {
	return func(ctx context.Context, target soak.Target) error {
		lie := []spec.Fault{{Method: method, Kind: spec.FaultNothingDone, Times: 5}}
		for _, node := range target.Workers {
			if err := agentapi.Change(ctx, target.Agents, node, target.Driver, spec.DriverChange{Faults: &lie}); err != nil {
				return err
			}
		}
		return nil
	}
}

// allocateTwice allocates one device to two claims, as a scheduler unaware of its own first allocation would.
func allocateTwice(ctx context.Context, target soak.Target) error {
	templates, err := target.Client.ResourceV1().ResourceClaimTemplates(target.Namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil || len(templates.Items) == 0 {
		return fmt.Errorf("find a template: %w", err)
	}
	device := resourceapi.DeviceRequestAllocationResult{Driver: Nobody, Pool: "spoiled", Device: "spoiled"}
	if !target.Unpublished {
		if device, err = freeDevice(ctx, target); err != nil {
			return err
		}
	}
	for _, name := range []string{"spoiled-1", "spoiled-2"} {
		if err := Allocate(ctx, target, &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: templates.Items[0].Spec.Spec}, device); err != nil {
			return err
		}
	}
	return nil
}

// Allocate creates a claim, allocates a device to it and reserves it, bypassing the scheduler.
func Allocate(ctx context.Context, target soak.Target, claim *resourceapi.ResourceClaim, device resourceapi.DeviceRequestAllocationResult, users ...resourceapi.ResourceClaimConsumerReference) error {
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

// freeDevice is the last device of some slice without shareable devices.
func freeDevice(ctx context.Context, target soak.Target) (resourceapi.DeviceRequestAllocationResult, error) {
	published, err := PublishedSlices(ctx, target)
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

// leakClaim creates an irremovable claim of a missing pod.
func leakClaim(ctx context.Context, target soak.Target) error {
	claim := objects.Claim("spoiled", objects.Request("device", "none"))
	claim.Finalizers = []string{soak.Finalizer}
	claim.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: corev1.SchemeGroupVersion.String(), Kind: "Pod", Name: "nobody", UID: NobodysUID,
		Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}}
	_, err := target.Client.ResourceV1().ResourceClaims(target.Namespace).Create(ctx, claim, metav1.CreateOptions{})
	return err
}

// PublishedSlices are those of the driver.
func PublishedSlices(ctx context.Context, target soak.Target) ([]resourceapi.ResourceSlice, error) {
	list, err := target.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + target.Driver})
	if err != nil {
		return nil, fmt.Errorf("list slices: %w", err)
	}
	return list.Items, nil
}
