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

package classicplan_test

import (
	"fmt"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
)

type classicSelection = classicplan.Selection

func describe(step classicplan.Step) string {
	switch s := step.(type) {
	case classicplan.Nothing:
		return "nothing: " + s.Why
	case classicplan.AddFinalizer:
		return "add finalizer"
	case classicplan.RemoveFinalizer:
		return "remove finalizer"
	case classicplan.CreateRecord:
		return fmt.Sprintf("create record for %q", s.Record.Spec.SelectedNode)
	case classicplan.Allocate:
		if s.Consumer == nil {
			return fmt.Sprintf("allocate on %q", s.Node)
		}
		return fmt.Sprintf("allocate on %q for %s", s.Node, s.Consumer.Name)
	case classicplan.Revoke:
		return "revoke: " + s.Why
	case classicplan.Abandon:
		return "abandon: " + s.Why
	case classicplan.Deallocate:
		return "deallocate"
	}
	return fmt.Sprintf("%T", step)
}

func TestPlanClaim(t *testing.T) {
	pod := []classicSelection{selects("pod", "a")}
	now := v1alpha1.ClaimConfig{AllocationMode: v1alpha1.Immediate}
	later := v1alpha1.ClaimConfig{AllocationMode: v1alpha1.WaitForFirstConsumer}
	ours := classOf(driver)
	type view = classicplan.ClaimView
	tests := []struct {
		name string
		view view
		want string
	}{
		// Ownership.
		{"no class", view{Claim: claim(), Config: now}, "nothing: the claim has no resource class"},
		{"a class of another driver", view{Claim: claim(), Class: classOf("other"), Config: now}, "nothing: the claim is another driver's"},
		{"a record of another driver", view{Claim: claim(), Class: ours, Record: record(func(r *v1alpha1.ClassicClaim) { r.Spec.DriverName = "other" })}, "nothing: the claim is another driver's"},
		{"allocated by a scheduler", view{Claim: claim(allocated), Class: ours, Config: now}, "nothing: somebody else has allocated the claim"},
		// Immediate allocation.
		{"immediate", view{Claim: claim(), Class: ours, Config: now}, "add finalizer"},
		{"immediate, protected", view{Claim: claim(protected), Class: ours, Config: now}, `create record for ""`},
		{"immediate, recorded", view{Claim: claim(protected), Record: record(immediate), Class: ours, Config: now}, `allocate on ""`},
		{"immediate, not needed yet", view{Claim: claim(protected, allocated), Record: record(immediate, phase(v1alpha1.Allocated)), Class: ours, Config: now}, "nothing: the claim is allocated"},
		// Delayed allocation.
		{"delayed, no pod", view{Claim: claim(), Class: ours, Config: later}, "nothing: no node is selected"},
		{"delayed, nodes are being checked", view{Claim: claim(), Class: ours, Config: later, Selections: []classicSelection{selects("pod", "")}}, "nothing: no node is selected"},
		{"delayed, unsuitable", view{Claim: claim(), Class: ours, Config: later, Selections: []classicSelection{{PodName: "pod", Node: "a", Unsuitable: true}}}, "nothing: no node is selected"},
		{"delayed, selected", view{Claim: claim(), Class: ours, Config: later, Selections: pod}, "add finalizer"},
		{"delayed, protected", view{Claim: claim(protected), Class: ours, Config: later, Selections: pod}, `create record for "a"`},
		{"delayed, recorded", view{Claim: claim(protected), Record: record(), Class: ours, Config: later, Selections: pod}, `allocate on "a" for pod`},
		{"delayed, the finalizer is gone", view{Claim: claim(), Record: record(), Class: ours, Config: later, Selections: pod}, "add finalizer"},
		{"two pods: by name", view{Claim: claim(protected), Class: ours, Config: later, Selections: []classicSelection{selects("z", "b"), selects("y", "c")}}, `create record for "c"`},
		{"two pods: what was begun stays", view{Claim: claim(protected), Record: record(), Class: ours, Config: later, Selections: []classicSelection{selects("x", "b"), selects("y", "a")}}, `allocate on "a" for y`},
		{"in use", view{Claim: claim(protected, allocated, reserved(1)), Record: record(phase(v1alpha1.Allocated)), Class: ours, Config: later}, "nothing: the claim is in use"},
		{"a pod is about to be tried again", view{Claim: claim(protected, allocated), Record: record(phase(v1alpha1.Allocated)), Class: ours, Config: later, Selections: pod}, "nothing: the claim is allocated"},
		// Attempts that end early.
		{"the pod is gone", view{Claim: claim(protected), Record: record(), Class: ours, Config: later}, "abandon: no node is selected"},
		{"another node", view{Claim: claim(protected), Record: record(), Class: ours, Config: later, Selections: []classicSelection{selects("pod", "b")}}, `abandon: the selected node is "b" now`},
		{"the class is gone", view{Claim: claim(protected), Record: record(), Config: later, Selections: pod}, "abandon: the claim has no resource class"},
		{"deleted while being allocated", view{Claim: claim(protected, deleting), Record: record(), Class: ours, Config: later, Selections: pod}, "abandon: the claim is being deleted"},
		{"given up before there was a record", view{Claim: claim(protected), Class: ours, Config: later}, "remove finalizer"},
		// Deallocation.
		{"the last pod is gone", view{Claim: claim(protected, allocated), Record: record(phase(v1alpha1.Allocated)), Class: ours, Config: later}, "revoke: no pod uses the claim or waits for it"},
		{"asked for", view{Claim: claim(protected, allocated), Record: record(unwanted, phase(v1alpha1.Allocated)), Class: ours, Config: later, Selections: pod}, "revoke: deallocation was requested"},
		{"asked for while in use", view{Claim: claim(protected, allocated, reserved(1)), Record: record(unwanted, phase(v1alpha1.Allocated)), Class: ours, Config: later, Selections: pod}, "nothing: the claim is in use"},
		{"deleted", view{Claim: claim(protected, allocated, deleting), Record: record(immediate, phase(v1alpha1.Allocated)), Class: ours, Config: now}, "revoke: the claim is being deleted"},
		{"deleted while in use", view{Claim: claim(protected, allocated, deleting, reserved(2)), Record: record(phase(v1alpha1.Allocated)), Class: ours, Config: later}, "nothing: the claim is in use"},
		{"deleted, its class, too", view{Claim: claim(protected, allocated, deleting), Record: record(phase(v1alpha1.Allocated))}, "revoke: the claim is being deleted"},
		{"cleared by the stock scheduler", view{Claim: claim(protected), Record: record(phase(v1alpha1.Allocated)), Class: ours, Config: later, Selections: pod}, "revoke: the allocation was cleared"},
		{"revoked", view{Claim: claim(protected), Record: record(phase(v1alpha1.Deallocating)), Class: ours, Config: later, Selections: pod}, "deallocate"},
		{"deallocated", view{Claim: claim(protected, deleting), Class: ours, Config: now}, "remove finalizer"},
		{"the claim is gone", view{Record: record(phase(v1alpha1.Allocated))}, "abandon: the claim is gone"},
		{"the claim is gone, and known to be", view{Record: record(phase(v1alpha1.Deallocating))}, "deallocate"},
		{"another claim of the name", view{Claim: claim(func(c *resourceapi.ResourceClaim) { c.UID = "new" }), Record: record(), Class: ours, Config: now}, "abandon: the claim is gone"},
		{"nothing at all", view{}, "nothing: the claim is gone"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.view.Driver = driver
			if got := describe(classicplan.PlanClaim(test.view)); got != test.want {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestRevokeChangesTheClaimOnce(t *testing.T) {
	revoke := classicplan.Revoke{Record: record()}
	cleared, status := revoke.Apply(claim(protected, allocated))
	if !status || cleared.Status.Allocation != nil {
		t.Errorf("an allocation: status %t, %+v", status, cleared.Status)
	}
	fenced, status := revoke.Apply(cleared)
	if status || fenced.Annotations[classicplan.RevokedAnnotation] != "uid-r" {
		t.Errorf("no allocation: status %t, %v", status, fenced.Annotations)
	}
	if again, _ := revoke.Apply(fenced); again != nil {
		t.Errorf("it was revoked before: %v", again)
	}
	done := classicplan.RemoveFinalizer{Driver: driver}.Apply(fenced)
	if len(done.Finalizers)+len(done.Annotations) > 0 {
		t.Errorf("left: %v, %v", done.Finalizers, done.Annotations)
	}
}

func TestResolve(t *testing.T) {
	classes := map[string]*resourceapi.DeviceClass{"gpu": {}, "example": {}, "broken": {}}
	configure := func(class, parameters string) {
		opaque := &resourceapi.OpaqueDeviceConfiguration{Driver: v1alpha1.GroupName}
		opaque.Parameters.Raw = []byte(parameters)
		classes[class].Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: resourceapi.DeviceConfiguration{Opaque: opaque}}}
	}
	configure("example", `{"apiVersion":"classic.dra-conformance.github.io/v1alpha1","kind":"ClassConfig","resourceClassName":"rc"}`)
	configure("broken", `{"apiVersion":"classic.dra-conformance.github.io/v1alpha1","kind":"ClassConfig"}`)
	exactly := func(change func(*resourceapi.ExactDeviceRequest)) claimChange {
		return func(c *resourceapi.ResourceClaim) { change(c.Spec.Devices.Requests[0].Exactly) }
	}
	more := resourceapi.DeviceRequest{Name: "gpu", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "gpu"}}
	tests := []struct {
		name  string
		claim *resourceapi.ResourceClaim
		want  string // part of the error
	}{
		{"classic", claim(), ""},
		{"structured", claim(exactly(func(r *resourceapi.ExactDeviceRequest) { r.DeviceClassName = "gpu" })), "not a classic claim"},
		{"no such class", claim(exactly(func(r *resourceapi.ExactDeviceRequest) { r.DeviceClassName = "none" })), "not a classic claim"},
		{"a broken class", claim(exactly(func(r *resourceapi.ExactDeviceRequest) { r.DeviceClassName = "broken" })), "resourceClassName is missing"},
		{"both kinds", claim(func(c *resourceapi.ResourceClaim) { c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, more) }), "must have no other request"},
		{"two devices", claim(exactly(func(r *resourceapi.ExactDeviceRequest) { r.Count = 2 })), "must be for one device"},
		{"selectors", claim(exactly(func(r *resourceapi.ExactDeviceRequest) { r.Selectors = make([]resourceapi.DeviceSelector, 1) })), "must have no selectors"},
		{"constraints", claim(func(c *resourceapi.ResourceClaim) {
			c.Spec.Devices.Constraints = make([]resourceapi.DeviceConstraint, 1)
		}), "must have no constraints"},
		{"admin access", claim(exactly(func(r *resourceapi.ExactDeviceRequest) { r.AdminAccess = new(true) })), "must not be for admin access"},
		{"tolerations", claim(exactly(func(r *resourceapi.ExactDeviceRequest) { r.Tolerations = make([]resourceapi.DeviceToleration, 1) })), "neither tolerations nor capacity"},
		{"alternatives", claim(func(c *resourceapi.ResourceClaim) {
			c.Spec.Devices.Requests[0] = resourceapi.DeviceRequest{Name: "r", FirstAvailable: []resourceapi.DeviceSubRequest{{Name: "s", DeviceClassName: "example"}}}
		}), "must not have alternatives"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := classicplan.Resolve(test.claim, func(name string) *resourceapi.DeviceClass { return classes[name] })
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want %q", err, test.want)
				}
				return
			}
			if err != nil || got.Name != "r" || got.DeviceClass != "example" || got.ResourceClass != "rc" || got.Config.AllocationMode != v1alpha1.WaitForFirstConsumer {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
