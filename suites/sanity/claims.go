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

package sanity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Want is one device to allocate to a claim.
type Want struct {
	Device

	// Request is "request" or, for a chosen alternative, "request/alternative".
	Request string
	// Driver prepares the device; empty means the driver under test.
	Driver string
	Admin  bool
}

// Config is an opaque driver configuration in a claim.
type Config struct {
	// Requests are the requests it applies to; none means all.
	Requests []string
	// Driver is the driver it is for; empty means the driver under test.
	Driver     string
	Parameters json.RawMessage
}

// Claim creates and allocates a claim. It is unprepared and deleted at the end of the check. If the
// server drops a field, the check is not applicable.
func (t *T) Claim(configs []Config, wants ...Want) *resourceapi.ResourceClaim {
	claim := t.unallocated(configs, wants...)
	for _, w := range wants {
		if w.Driver == "" {
			t.used = append(t.used, w.Device)
		}
	}
	stored := t.allocate(claim, configs, wants...)
	// Ignores fields set by the server, such as the allocation time.
	if !equality.Semantic.DeepEqual(stored.Status.Allocation.Devices, claim.Status.Allocation.Devices) {
		t.NotApplicablef("the API server drops what the claim needs (a feature gate is off)")
	}
	return stored
}

// allocate allocates the last created claim and returns the stored object.
func (t *T) allocate(claim *resourceapi.ResourceClaim, configs []Config, wants ...Want) *resourceapi.ResourceClaim {
	claim.Status = t.status(configs, wants)
	stored, err := t.Client.ResourceV1().ResourceClaims(t.namespace).UpdateStatus(t.ctx, claim, metav1.UpdateOptions{})
	t.need(err, "allocate a claim")
	t.made[len(t.made)-1] = stored
	return stored
}

// One creates a claim for one device with this configuration.
func (t *T) One(device Device, configs ...Config) *resourceapi.ResourceClaim {
	return t.Claim(configs, Want{Device: device, Request: "req"})
}

// Again creates and allocates a claim with the name of a deleted one.
func (t *T) Again(deleted *resourceapi.ResourceClaim, device Device) *resourceapi.ResourceClaim {
	want := Want{Device: device, Request: "req"}
	claim := t.draft(nil, want)
	claim.GenerateName, claim.Name = "", deleted.Name
	t.used = append(t.used, device)
	return t.allocate(t.create(claim), nil, want)
}

// unallocated creates a claim without allocation.
func (t *T) unallocated(configs []Config, wants ...Want) *resourceapi.ResourceClaim {
	return t.create(t.draft(configs, wants...))
}

func (t *T) create(claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	stored, err := t.Client.ResourceV1().ResourceClaims(t.namespace).Create(t.ctx, claim, metav1.CreateOptions{})
	t.need(err, "make a claim")
	t.made = append(t.made, stored)
	return stored
}

// draft returns a claim with a request for each name in wants. Configurations may name other alternatives.
func (t *T) draft(configs []Config, wants ...Want) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "sanity-", Labels: map[string]string{spec.LabelManagedBy: spec.ManagedBy},
	}}
	requests := &claim.Spec.Devices.Requests
	index := func(name string) int {
		return slices.IndexFunc(*requests, func(r resourceapi.DeviceRequest) bool { return r.Name == name })
	}
	for _, w := range wants {
		request := t.request(w)
		if i := index(request.Name); i < 0 {
			*requests = append(*requests, request)
		} else if exactly := (*requests)[i].Exactly; exactly != nil {
			exactly.Count = max(exactly.Count, 1) + 1
		}
	}
	for _, c := range configs {
		for _, r := range c.Requests {
			name, alternative, _ := strings.Cut(r, "/")
			if i := index(name); i >= 0 && alternative != "" {
				(*requests)[i].FirstAvailable = withAlternative((*requests)[i].FirstAvailable, alternative)
			}
		}
		claim.Spec.Devices.Config = append(claim.Spec.Devices.Config, resourceapi.DeviceClaimConfiguration{Requests: c.Requests, DeviceConfiguration: t.opaque(c)})
	}
	return claim
}

// withAlternative adds a missing alternative, like the others but for its name.
func withAlternative(all []resourceapi.DeviceSubRequest, name string) []resourceapi.DeviceSubRequest {
	if len(all) == 0 || slices.ContainsFunc(all, func(r resourceapi.DeviceSubRequest) bool { return r.Name == name }) {
		return all
	}
	added := all[0]
	added.Name = name
	return append(all, added)
}

func (t *T) request(w Want) resourceapi.DeviceRequest {
	class := t.Class
	if class == "" {
		class = "dratest-sanity" // need not exist
	}
	name, alternative, chosen := strings.Cut(w.Request, "/")
	if chosen {
		return resourceapi.DeviceRequest{Name: name, FirstAvailable: []resourceapi.DeviceSubRequest{{Name: alternative, DeviceClassName: class}}}
	}
	exactly := &resourceapi.ExactDeviceRequest{DeviceClassName: class}
	if w.Admin {
		exactly.AdminAccess = ptr.To(true)
	}
	return resourceapi.DeviceRequest{Name: name, Exactly: exactly}
}

func (t *T) opaque(c Config) resourceapi.DeviceConfiguration {
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: t.driver(c.Driver), Parameters: runtime.RawExtension{Raw: c.Parameters},
	}}
}

func (t *T) driver(name string) string {
	if name == "" {
		return t.Driver
	}
	return name
}

// status returns the status of an allocated and reserved claim, as written by the scheduler.
func (t *T) status(configs []Config, wants []Want) resourceapi.ResourceClaimStatus {
	allocation := &resourceapi.AllocationResult{NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{t.Node}}},
	}}}}
	devices := &allocation.Devices
	var requests []string
	for _, w := range wants {
		r := resourceapi.DeviceRequestAllocationResult{Request: w.Request, Driver: t.driver(w.Driver), Pool: w.Pool, Device: w.Name}
		if w.Admin {
			r.AdminAccess = ptr.To(true)
		}
		if w.Capacity != nil {
			r.ShareID, r.ConsumedCapacity = ptr.To(uuid.NewUUID()), w.Capacity
		}
		devices.Results = append(devices.Results, r)
		if !slices.Contains(requests, w.Request) {
			requests = append(requests, w.Request)
		}
	}
	for _, c := range t.class {
		devices.Config = append(devices.Config, resourceapi.DeviceAllocationConfiguration{
			Source: resourceapi.AllocationConfigSourceClass, Requests: requests, DeviceConfiguration: c.DeviceConfiguration,
		})
	}
	for _, c := range configs {
		devices.Config = append(devices.Config, resourceapi.DeviceAllocationConfiguration{
			Source: resourceapi.AllocationConfigSourceClaim, Requests: c.Requests, DeviceConfiguration: t.opaque(c),
		})
	}
	return resourceapi.ResourceClaimStatus{Allocation: allocation, ReservedFor: []resourceapi.ResourceClaimConsumerReference{
		{Resource: "pods", Name: t.pod.Name, UID: t.pod.UID},
	}}
}

// Delete deletes a claim at once; it has no finalizers.
func (t *T) Delete(claim *resourceapi.ResourceClaim) {
	t.need(gone(t.Client.ResourceV1().ResourceClaims(t.namespace).Delete(t.ctx, claim.Name, metav1.DeleteOptions{})), "delete a claim")
}

// cleanUp unprepares and deletes the check's claims, even after the check's timeout. It also
// removes leftover CDI files named after such a claim.
func (t *T) cleanUp() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), closing)
	defer cancel()
	var errs []error
	for _, claim := range t.made {
		// Other checks cover errors here.
		_, _ = t.unprepare(ctx, claim)
		errs = append(errs, gone(t.Client.ResourceV1().ResourceClaims(t.namespace).Delete(ctx, claim.Name, metav1.DeleteOptions{})))
	}
	if err := errors.Join(append(errs, t.removeLeft(ctx))...); err != nil && t.verdict.status == spec.Passed {
		t.verdict = verdict{spec.Blocked, fmt.Sprintf("clean up after the check: %v", err)}
	}
}

func (t *T) removeLeft(ctx context.Context) error {
	files, err := t.Specs(ctx)
	errs := []error{err}
	for path := range files {
		if slices.ContainsFunc(t.made, func(c *resourceapi.ResourceClaim) bool { return strings.Contains(filepath.Base(path), string(c.UID)) }) {
			errs = append(errs, t.RemoveSpec(ctx, path))
		}
	}
	return errors.Join(errs...)
}
