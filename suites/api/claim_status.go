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

package api

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimStatus writes a claim's allocation through the main resource and through the status.
var ClaimStatus = harness.Case{Meta: spec.Meta{
	ID:       "api/claim-status",
	Checks:   "An allocation is stored only through the status subresource, and immutable while the claim is reserved.",
	Requires: []spec.RequirementID{"resource-v1/allocation-immutable", "kep-4381/used-claim-not-deallocated", "kep-4381/claim-status-separate"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	claims := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	claim := objects.Claim("claim", objects.Request("req", "class"))
	claim.Status.Allocation = allocation("device-0")
	t.Create(claim)
	stored, err := claims.Get(t.Context(), "claim", metav1.GetOptions{})
	t.NoError(err, "get the claim")
	t.Expect(stored.Status.Allocation).To(gomega.BeNil(), "the allocation from the creation of the claim")

	t.Step("allocate through the claim itself, then through its status")
	stored.Status.Allocation = allocation("device-0")
	updated, err := claims.Update(t.Context(), stored.DeepCopy(), metav1.UpdateOptions{})
	t.NoError(err, "update the claim")
	t.Expect(updated.Status.Allocation).To(gomega.BeNil(), "the allocation from the update of the claim")
	updated.Status.Allocation = allocation("device-0")
	updated.Spec.Devices.Requests[0].Exactly.Count = 2
	// Not a pod: the controllers release a claim of missing pods.
	updated.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{
		{APIGroup: "dra-conformance.github.io", Resource: "consumers", Name: "consumer", UID: "00000000-0000-4000-8000-000000000000"},
	}
	allocated, err := claims.UpdateStatus(t.Context(), updated, metav1.UpdateOptions{})
	t.NoError(err, "allocate and reserve the claim through its status")
	t.Expect(allocated.Status.Allocation).NotTo(gomega.BeNil(), "the allocation")
	t.Expect(allocated.Spec).To(gomega.Equal(stored.Spec), "the spec, after a status update with another one")

	t.Step("allocate another device, and deallocate while the claim is reserved")
	other, freed := allocated.DeepCopy(), allocated.DeepCopy()
	other.Status.Allocation = allocation("device-1")
	freed.Status.Allocation = nil
	_, otherErr := claims.UpdateStatus(t.Context(), other, metav1.UpdateOptions{})
	_, freedErr := claims.UpdateStatus(t.Context(), freed, metav1.UpdateOptions{})

	t.Expect(notRefused(otherErr, "status.allocation", "")).To(gomega.BeEmpty(), "another device")
	t.Expect(notRefused(freedErr, "status.reservedFor", "")).To(gomega.BeEmpty(), "no allocation for a reserved claim")
	now, err := claims.Get(t.Context(), "claim", metav1.GetOptions{})
	t.NoError(err, "get the claim")
	t.Expect(now.Status.Allocation).To(gomega.Equal(allocated.Status.Allocation), "the allocation in the end")
}}

func allocation(device string) *resourceapi.AllocationResult {
	return &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
		{Request: "req", Driver: "api.dra-conformance.github.io", Pool: "pool", Device: device},
	}}}
}
