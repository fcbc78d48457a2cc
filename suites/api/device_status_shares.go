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
	"strings"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceStatusShares writes the status of shares of one device.
var DeviceStatusShares = harness.Case{Meta: spec.Meta{
	ID:       "api/device-status-shares",
	Checks:   "Shares of a device have lowercase UUIDs and one status each; status for anything else is rejected.",
	Requires: []spec.RequirementID{"resource-v1/device-status-keys", "resource-v1/share-id-uuid", "kep-4817/status-of-allocated-only"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.ConsumableCapacity, spec.DeviceStatus}},
}, Run: func(t *harness.T) {
	claims := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	t.Create(validClaim())
	claim, err := claims.Get(t.Context(), "claim", metav1.GetOptions{})
	t.NoError(err, "get the claim")
	claim.Status.Allocation = sharedAllocation()
	shared := func(id string) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) {
			c.Status.Allocation.Devices.Results[0].ShareID = ptr.To(types.UID(id))
		}
	}
	const field = "status.allocation.devices.results[0].shareID"
	judge(t, claim.DeepCopy, updateStatus(t, claims), []rule[*resourceapi.ResourceClaim]{
		{"a share with an invalid UUID", shared(thirdShare), shared("share"), field, invalid},
		{"a share with capitals", shared(thirdShare), shared(strings.ToUpper(thirdShare)), field, invalid},
	}...)

	claim, err = claims.UpdateStatus(t.Context(), claim, metav1.UpdateOptions{})
	t.NoError(err, "allocate the claim")
	judge(t, claim.DeepCopy, updateStatus(t, claims), shareStatusRules()...)

	t.Step("write the status of two shares")
	devices := []resourceapi.AllocatedDeviceStatus{shareStatus(firstShare, 1), shareStatus(secondShare, 2)}
	claim.Status.Devices = devices
	claim, err = claims.UpdateStatus(t.Context(), claim, metav1.UpdateOptions{})
	t.NoError(err, "write the status of two shares")
	t.Expect(claim.Status.Devices).To(gomega.Equal(devices), "the status of two shares")
}}

// The shares of sharedAllocation, and one it does not have.
const (
	firstShare  = "00000000-0000-4000-8000-00000000000a"
	secondShare = "00000000-0000-4000-8000-00000000000b"
	thirdShare  = "00000000-0000-4000-8000-00000000000c"
)

// sharedAllocation has two shares of one device, and another device.
func sharedAllocation() *resourceapi.AllocationResult {
	a := allocation("device-0")
	first := a.Devices.Results[0]
	second, other := first, first
	first.ShareID, second.ShareID, other.Device = ptr.To[types.UID](firstShare), ptr.To[types.UID](secondShare), "device-1"
	a.Devices.Results = []resourceapi.DeviceRequestAllocationResult{first, second, other}
	return a
}

// shareStatus returns an entry for a share of device-0; for an empty text one for the device.
func shareStatus(share string, number int) resourceapi.AllocatedDeviceStatus {
	status := statusOf(driver, "device-0", number)
	if share != "" {
		status.ShareID = &share
	}
	return status
}

func shareStatusRules() []rule[*resourceapi.ResourceClaim] {
	of := func(shares ...string) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) {
			c.Status.Devices = numbered(len(shares), func(i int) resourceapi.AllocatedDeviceStatus { return shareStatus(shares[i], i) })
		}
	}
	other := func(share *string) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) {
			status := statusOf(driver, "device-1", 0)
			status.ShareID = share
			c.Status.Devices = []resourceapi.AllocatedDeviceStatus{status}
		}
	}
	const field = "status.devices[0]"
	return []rule[*resourceapi.ResourceClaim]{
		{"an unallocated share", of(firstShare), of(thirdShare), field, invalid},
		{"a shared device without its share", of(secondShare), of(""), field, invalid},
		{"a share of an unshared device", other(nil), other(ptr.To(firstShare)), field, invalid},
		{"a share twice", of(firstShare, secondShare), of(firstShare, firstShare), "status.devices[1] or status.devices[1].deviceID", duplicate},
		{"a share with an invalid UUID", of(firstShare), of("share"), field + ".shareID", invalid},
		{"a share with capitals", of(firstShare), of(strings.ToUpper(firstShare)), field + ".shareID", invalid},
	}
}
