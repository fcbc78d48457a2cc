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

package fabric

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ScheduledToLocal publishes a device on its node once attached, like a driver with hotplug support.
var ScheduledToLocal = harness.Case{Meta: spec.Meta{
	ID:       "fabric/scheduled-to-local",
	Checks:   "If the attached device is published as local, binding is abandoned and the pod is scheduled to the local device.",
	Requires: []spec.RequirementID{"kep-5007/attached-device-as-failure", "kep-5007/failure-reschedules", "kep-5007/attached-device-in-node-pool", "kep-5007/node-local-first"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	c := fabric.Start(t, spec.FabricConfig{Devices: 2, DetachAfter: always}).MayReport()
	c.WaitFree(2)
	pod(t, class)
	node := t.Nodes[0]
	devices := c.WaitDevices("attached", one(attached, node))
	for id, d := range devices {
		if d.Phase == attached {
			t.Publish(node, node, resourceapi.Device{Name: id})
		}
	}
	t.Expect(t.WaitScheduled("pod").Spec.NodeName).To(gomega.Equal(node), "node of the pod")
	t.WaitEvent("pod", "FailedScheduling", "device binding failed")
	result := t.Claim("pod").Status.Allocation.Devices.Results[0]
	t.Expect(result.Pool).To(gomega.Equal(node), "pool of the device")
	t.Expect(devices[result.Device].Phase).To(gomega.Equal(attached), "the device of the pod")
	c.WaitDevices("one attached, one free", func(d map[string]spec.FabricDevice) bool {
		return count(d, attached, node) == 1 && count(d, free, "") == 1
	})
}}
