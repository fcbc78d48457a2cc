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

package allocation

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeallocatedIfStuck has a claim allocated where its pod cannot run.
var DeallocatedIfStuck = harness.Case{Meta: spec.Meta{
	ID:       "allocation/deallocated-if-stuck",
	Checks:   "Unused claims allocated where their pod cannot run are reallocated elsewhere; a reserved one stays and the pod waits.",
	Requires: []spec.RequirementID{"kep-4381/deallocates-if-stuck"},
	Needs:    spec.Needs{NoKubelet: true, Nodes: 2},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("first", t.Nodes[0], profiles.Device(0, "a", "8Gi"), profiles.Device(1, "a", "8Gi"), profiles.Device(4, "a", "8Gi"), profiles.Device(5, "a", "8Gi"))
	t.Publish("second", t.Nodes[1], profiles.Device(2, "a", "8Gi"), profiles.Device(3, "a", "8Gi"), profiles.Device(6, "a", "8Gi"))
	for name, device := range map[string]string{"unused": "device-0", "in-use": "device-1", "also-unused": "device-4", "unused-too": "device-5"} {
		claim := objects.Claim(name, objects.Request("req", class))
		claim.Finalizers = []string{resourceapi.Finalizer}
		t.Create(claim)
		edit.ClaimStatus(t, name, func(c *resourceapi.ResourceClaim) {
			c.Status.Allocation = &resourceapi.AllocationResult{
				NodeSelector: objects.Nodes(t.Nodes[0]),
				Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{{
					Request: "req", Driver: t.DriverName(), Pool: "first", Device: device,
				}}},
			}
			if name == "in-use" {
				c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{objects.Stranger("somebody")}
			}
		})
	}
	t.Create(objects.OnlyOn(objects.Pod("waits", t.Image, "in-use"), t.Nodes[1]))
	t.WaitUnschedulable("waits", "resourceclaim not available on the node")
	t.Create(objects.OnlyOn(objects.Pod("pod", t.Image, "unused"), t.Nodes[1]))
	pod := t.WaitScheduled("pod")
	claim := t.Claim("unused")
	t.Expect(claim).To(matchers.HaveDevices("device-2"), "device on the pod's node")
	t.Expect(claim).To(matchers.BeReservedFor(pod), "reservations")
	t.Expect(t.Claim("in-use")).To(matchers.HaveDevices("device-1"), "device of the used claim")

	t.Create(objects.OnlyOn(objects.Pod("several", t.Image, "also-unused", "unused-too"), t.Nodes[1]))
	several := t.WaitScheduled("several")
	for _, name := range []string{"also-unused", "unused-too"} {
		t.Expect(t.Claim(name)).To(matchers.HaveDevicesFrom("second"), "pool of the device of claim %s", name)
		t.Expect(t.Claim(name)).To(matchers.BeReservedFor(several), "reservations of claim %s", name)
	}
	edit.ClaimStatus(t, "in-use", func(c *resourceapi.ResourceClaim) { c.Status.ReservedFor = nil })
}}
