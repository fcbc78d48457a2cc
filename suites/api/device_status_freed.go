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
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceStatusFreed deallocates a claim with device status.
var DeviceStatusFreed = harness.Case{Meta: spec.Meta{
	ID:       "api/device-status-freed",
	Checks:   "Removing an allocation removes the status of its devices, even if the update still contains it.",
	Requires: []spec.RequirementID{"kep-4817/status-kept"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.DeviceStatus}},
}, Run: func(t *harness.T) {
	t.Create(validClaim())
	stored := edit.ClaimStatus(t, "claim", withStatus)
	t.Expect(stored.Status.Devices).To(gomega.HaveLen(2), "the devices with status")
	stored.Status.Allocation = nil
	freed, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).UpdateStatus(t.Context(), stored, metav1.UpdateOptions{})
	t.NoError(err, "deallocate the claim and leave the status of its devices in it")
	t.Expect(freed.Status).To(gomega.Equal(resourceapi.ResourceClaimStatus{}), "the status after the allocation is taken away")
}}

// withStatus allocates two devices and gives both a status.
func withStatus(c *resourceapi.ResourceClaim) {
	c.Status.Allocation = allocation("device-0")
	second := c.Status.Allocation.Devices.Results[0]
	second.Device = "device-1"
	c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results, second)
	c.Status.Devices = []resourceapi.AllocatedDeviceStatus{statusOf(driver, "device-0", 0), statusOf(driver, "device-1", 1)}
}

// DeallocationAuthorized deallocates a claim as users with and without permission for it.
var DeallocationAuthorized = harness.Case{Meta: spec.Meta{
	ID:       "api/deallocation-authorized",
	Checks:   "Deallocating a claim requires the permission for binding, and none for the device status removed with it.",
	Requires: []spec.RequirementID{"resource-v1/status-binding-authorized", "kep-4817/status-kept"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.GranularStatusAuthorization, spec.DeviceStatus}},
}, Run: func(t *harness.T) {
	t.Create(validClaim())
	stored := edit.ClaimStatus(t, "claim", withStatus)
	drivers, scheduler := user(t)+"-driver", user(t)+"-scheduler"
	mayUpdateStatus(t, drivers, scheduler)
	mayWriteOf(t, "driver", driver, resourceapi.VerbPrefixArbitraryNode+"update", drivers)
	mayEverywhere(t, rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"resourceclaims/binding"}, Verbs: []string{"update"}}, scheduler)
	write := func(user string, change func(*resourceapi.ResourceClaim)) func() error {
		client := t.As(rest.ImpersonationConfig{UserName: user}).ResourceV1().ResourceClaims(t.Namespace)
		changed := stored.DeepCopy()
		change(changed)
		return func() error { return updateStatus(t, client)(changed.DeepCopy()) }
	}
	withoutStatus := func(c *resourceapi.ResourceClaim) { c.Status.Devices = nil }
	freed := func(c *resourceapi.ResourceClaim) { c.Status.Allocation = nil }
	both := func(c *resourceapi.ResourceClaim) { c.Status = resourceapi.ResourceClaimStatus{} }
	allowed(t, "the status of the devices, to be removed by a client allowed to write it", write(drivers, withoutStatus))
	allowed(t, "the allocation, to be taken away with the right for it", write(scheduler, freed))
	t.NoError(write(scheduler, both)(), "take allocation and status away with the right for the allocation")
	for what, err := range map[string]error{"the allocation": write(drivers, freed)(), "allocation and status": write(drivers, both)()} {
		t.Expect(notRefused(err, "status.allocation", forbidden)).To(gomega.BeEmpty(), "%s, taken away without the right for the allocation", what)
	}
	t.Expect(notRefused(write(scheduler, withoutStatus)(), "status.devices", forbidden)).To(gomega.BeEmpty(), "the status alone, taken away without the right for it")
}}
