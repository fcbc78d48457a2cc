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
	"strings"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceStatus writes invalid device status: the limits are 8 conditions of different types, 10 Ki of data and 16
// addresses with prefixes.
var DeviceStatus = harness.Case{Meta: spec.Meta{
	ID:     "api/device-status",
	Checks: "Status is written only for allocated devices, once each and within its limits; all else is rejected.",
	Requires: []spec.RequirementID{
		"kep-4817/status-of-allocated-only", "kep-4817/conditions-8", "kep-4817/conditions-valid", "kep-4817/data-10ki", "kep-4817/network-data-lengths",
		"kep-4817/network-ips-cidr", "kep-4817/network-ips-16", "resource-v1/device-status-keys",
		"kep-4817/network-data",
	},
	Needs: spec.Needs{NoNode: true, Features: []spec.Feature{spec.DeviceStatus}},
}, Run: func(t *harness.T) {
	claims := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	t.Create(validClaim())
	claim, err := claims.Get(t.Context(), "claim", metav1.GetOptions{})
	t.NoError(err, "get the claim")
	claim.Status.Devices = []resourceapi.AllocatedDeviceStatus{statusOf(driver, "device-0", 0)}
	t.Expect(notRefused(updateStatus(t, claims)(claim.DeepCopy()), "status.devices[0]", invalid)).To(gomega.BeEmpty(), "the status of a device of a claim without devices")
	claim.Status.Allocation = allocation("device-0")
	t.NoError(updateStatus(t, claims)(claim.DeepCopy()), "write the status of a device together with its allocation")
	claim.Status.Devices = nil
	second := claim.Status.Allocation.Devices.Results[0]
	second.Device = "device-1"
	claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results, second)
	claim, err = claims.UpdateStatus(t.Context(), claim, metav1.UpdateOptions{})
	t.NoError(err, "allocate the claim")
	judge(t, claim.DeepCopy, updateStatus(t, claims), deviceStatusRules()...)

	t.Step("apply the status of each device by a manager of its own")
	for i, device := range []string{"device-0", "device-1"} {
		apply(t, "resourceclaims", "claim", name("manager", i), fmt.Sprintf(`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"claim"},`+
			`"status":{"devices":[{"driver":%q,"pool":"pool","device":%q,"data":{"from":%d}}]}}`, driver, device, i), "status")
	}
	now, err := claims.Get(t.Context(), "claim", metav1.GetOptions{})
	t.NoError(err, "get the claim")
	data := map[string]string{}
	for _, d := range now.Status.Devices {
		data[d.Device] = string(d.Data.Raw)
	}
	t.Expect(data).To(gomega.Equal(map[string]string{"device-0": `{"from":0}`, "device-1": `{"from":1}`}), "the status of the devices")
}}

func deviceStatusRules() []rule[*resourceapi.ResourceClaim] {
	statuses := func(all ...resourceapi.AllocatedDeviceStatus) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) { c.Status.Devices = all }
	}
	of := func(device string) resourceapi.AllocatedDeviceStatus {
		return resourceapi.AllocatedDeviceStatus{Driver: driver, Pool: "pool", Device: device}
	}
	with := func(change func(*resourceapi.AllocatedDeviceStatus)) func(*resourceapi.ResourceClaim) {
		s := of("device-0")
		change(&s)
		return statuses(s)
	}
	conditions := func(n int) func(*resourceapi.ResourceClaim) {
		return with(func(s *resourceapi.AllocatedDeviceStatus) { s.Conditions = numbered(n, condition) })
	}
	ofTwo := func(change func(*metav1.Condition)) func(*resourceapi.ResourceClaim) {
		return with(func(s *resourceapi.AllocatedDeviceStatus) {
			s.Conditions = numbered(2, condition)
			change(&s.Conditions[1])
		})
	}
	data := func(raw string) func(*resourceapi.ResourceClaim) {
		return with(func(s *resourceapi.AllocatedDeviceStatus) { s.Data = &runtime.RawExtension{Raw: []byte(raw)} })
	}
	network := func(n resourceapi.NetworkDeviceData) func(*resourceapi.ResourceClaim) {
		return with(func(s *resourceapi.AllocatedDeviceStatus) { s.NetworkData = &n })
	}
	ips := func(ips ...string) func(*resourceapi.ResourceClaim) {
		return network(resourceapi.NetworkDeviceData{IPs: ips})
	}
	address := func(i int) string { return fmt.Sprintf("192.0.2.%d/24", i) }
	wide := func(bytes int) string { return strings.Repeat("\U0001F600", bytes/4) } // characters of 4 bytes
	elsewhere := of("device-0")
	elsewhere.Pool = "other"
	other := of("device-0")
	other.Driver = "other.example.com"
	const field = "status.devices[0]"
	const nameMax, addressMax = resourceapi.NetworkDeviceDataInterfaceNameMaxLength, resourceapi.NetworkDeviceDataHardwareAddressMaxLength
	return []rule[*resourceapi.ResourceClaim]{
		{"an unallocated device", statuses(of("device-1")), statuses(of("device-2")), field, invalid},
		{"a device of another pool", statuses(of("device-0")), statuses(elsewhere), field, invalid},
		{"a device of another driver", statuses(of("device-0")), statuses(other), field, invalid},
		{"a device twice", statuses(of("device-0"), of("device-1")), statuses(of("device-0"), of("device-0")), "status.devices[1] or status.devices[1].deviceID", duplicate},
		{"nine conditions", conditions(8), conditions(9), field + ".conditions", tooMany},
		{"two conditions of one type", conditions(2), ofTwo(func(c *metav1.Condition) { c.Type = condition(0).Type }), field + ".conditions[1].type or " + field + ".conditions[1]", duplicate},
		{"a condition without a type", conditions(2), ofTwo(func(c *metav1.Condition) { c.Type = "" }), field + ".conditions[1].type", lacking},
		{"a condition with another status", conditions(2), ofTwo(func(c *metav1.Condition) { c.Status = "Maybe" }), field + ".conditions[1].status", notSupported},
		{"a condition without a reason", conditions(2), ofTwo(func(c *metav1.Condition) { c.Reason = "" }), field + ".conditions[1].reason", required},
		{"a condition without a time", conditions(2), ofTwo(func(c *metav1.Condition) { c.LastTransitionTime = metav1.Time{} }), field + ".conditions[1].lastTransitionTime", required},
		{"data of 10 Ki and one byte", data(parametersOf(10 * 1024)), data(parametersOf(10*1024 + 1)), field + ".data", tooLong},
		{"a list as data", data(`{"a":[]}`), data(`[]`), field + ".data", invalid},
		{"an interface of 257 characters", network(resourceapi.NetworkDeviceData{InterfaceName: characters(nameMax)}),
			network(resourceapi.NetworkDeviceData{InterfaceName: characters(nameMax + 1)}), field + ".networkData.interfaceName", tooLong},
		{"an interface of 260 bytes", network(resourceapi.NetworkDeviceData{InterfaceName: wide(nameMax)}),
			network(resourceapi.NetworkDeviceData{InterfaceName: wide(nameMax + 4)}), field + ".networkData.interfaceName", tooLong},
		{"a hardware address of 132 bytes", network(resourceapi.NetworkDeviceData{HardwareAddress: wide(addressMax)}),
			network(resourceapi.NetworkDeviceData{HardwareAddress: wide(addressMax + 4)}), field + ".networkData.hardwareAddress", tooLong},
		{"a hardware address of 129 characters", network(resourceapi.NetworkDeviceData{HardwareAddress: characters(addressMax)}),
			network(resourceapi.NetworkDeviceData{HardwareAddress: characters(addressMax + 1)}), field + ".networkData.hardwareAddress", tooLong},
		{"17 addresses", ips(numbered(16, address)...), ips(numbered(17, address)...), field + ".networkData.ips", tooMany},
		{"an address twice", ips(address(1), address(2)), ips(address(1), address(1)), field + ".networkData.ips[1]", duplicate},
		{"an address without prefix", ips("192.0.2.5/24"), ips("192.0.2.5"), field + ".networkData.ips[0]", invalid},
		{"an address of version 6 without prefix", ips("2001:db8::5/64"), ips("2001:db8::5"), field + ".networkData.ips[0]", invalid},
		{"an address with leading zeros", ips("192.0.2.5/24"), ips("192.0.02.5/24"), field + ".networkData.ips[0]", invalid},
		{"an address of version 6 with leading zeros", ips("2001:db8::5/64"), ips("2001:0db8::5/64"), field + ".networkData.ips[0]", invalid},
		{"an address with a number above 255", ips("255.0.2.5/24"), ips("256.0.2.5/24"), field + ".networkData.ips[0]", invalid},
		{"an address with too long a prefix", ips("192.0.2.5/32"), ips("192.0.2.5/33"), field + ".networkData.ips[0]", invalid},
	}
}
