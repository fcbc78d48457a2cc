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
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/spec"
)

// otherDriver is a second driver in these cases.
const otherDriver = "other.dra-conformance.github.io"

// StatusAuthorizationDrivers changes and removes the device status of two drivers as a user with permission for one.
var StatusAuthorizationDrivers = harness.Case{Meta: spec.Meta{
	ID:       "api/status-authorization-drivers",
	Checks:   "A user may change device status only of drivers the user has permission for, also in combined updates.",
	Requires: []spec.RequirementID{"resource-v1/status-driver-authorized"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.GranularStatusAuthorization, spec.DeviceStatus}},
}, Run: func(t *harness.T) {
	t.Create(validClaim())
	stored := edit.ClaimStatus(t, "claim", func(c *resourceapi.ResourceClaim) {
		c.Status.Allocation = allocation("device-0")
		results := &c.Status.Allocation.Devices.Results
		for _, device := range []string{"device-0", "device-1"} {
			*results = append(*results, resourceapi.DeviceRequestAllocationResult{Request: "req", Driver: otherDriver, Pool: "pool", Device: device})
		}
		c.Status.Devices = []resourceapi.AllocatedDeviceStatus{statusOf(driver, "device-0", 0), statusOf(otherDriver, "device-0", 0)}
	})
	who := user(t)
	mayUpdateStatus(t, who)
	mayWriteOf(t, "own", driver, resourceapi.VerbPrefixArbitraryNode+"update", who)
	write := updateStatus(t, t.As(rest.ImpersonationConfig{UserName: who}).ResourceV1().ResourceClaims(t.Namespace))
	devices := func(all ...resourceapi.AllocatedDeviceStatus) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) { c.Status.Devices = all }
	}
	own := func(n int) resourceapi.AllocatedDeviceStatus { return statusOf(driver, "device-0", n) }
	other := func(n int) resourceapi.AllocatedDeviceStatus { return statusOf(otherDriver, "device-0", n) }
	changed := func(change func(*resourceapi.ResourceClaim)) *resourceapi.ResourceClaim {
		c := stored.DeepCopy()
		change(c)
		return c
	}
	changes := devices(own(1), other(0))
	allowed(t, "a change of the driver's own entry", func() error { return write(changed(changes)) })
	const field = "status.devices"
	refused := []rule[*resourceapi.ResourceClaim]{
		{"a change of the other driver's entry", changes, devices(own(0), other(1)), field, forbidden},
		{"a change of both drivers' entries", changes, devices(own(1), other(1)), field, forbidden},
		{"the removal of the other driver's entry", devices(other(0)), devices(own(0)), field, forbidden},
		{"the removal of both drivers' entries", devices(other(0)), devices(), field, forbidden},
		{"a change of one and the removal of the other entry", changes, devices(own(1)), field, forbidden},
		{"one more entry of the other driver", devices(other(0), own(0)), devices(own(0), other(0), statusOf(otherDriver, "device-1", 0)), field, forbidden},
	}
	judge(t, stored.DeepCopy, write, refused...)

	t.Step("write all of it with the permission for both drivers")
	mayWriteOf(t, "other", otherDriver, resourceapi.VerbPrefixArbitraryNode+"update", who)
	for _, r := range refused {
		allowed(t, r.name, func() error { return write(changed(r.refused)) })
	}
}}

// statusOf is an entry for a device, with a number.
func statusOf(driver, device string, number int) resourceapi.AllocatedDeviceStatus {
	return resourceapi.AllocatedDeviceStatus{
		Driver: driver, Pool: "pool", Device: device, Data: &runtime.RawExtension{Raw: fmt.Appendf(nil, `{"number":%d}`, number)},
	}
}

// mayWriteOf grants users a verb on the status of a driver's devices, in the case's namespace.
func mayWriteOf(t *harness.T, name, driver, verb string, users ...string) {
	mayHere(t, name, rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"resourceclaims/driver"}, ResourceNames: []string{driver}, Verbs: []string{verb}}, users...)
}
