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

// DeviceDied lets an attached device die before any driver publishes it.
var DeviceDied = harness.Case{Meta: spec.Meta{
	ID:       "fabric/device-died",
	Checks:   "If an attached device dies before the driver publishes it, the pod is bound with another device.",
	Requires: []spec.RequirementID{"kep-5007/failure-in-status", "kep-5007/failure-reschedules", "kep-5007/attached-device-as-failure"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	c := fabric.Start(t, spec.FabricConfig{Devices: 2, DetachAfter: always}).MayReport()
	c.WaitFree(2)
	pod(t, class)
	node := t.Nodes[0]
	first := attachedOn(c.WaitDevices("attached", one(attached, node)), node)
	t.WaitEvent("pod", "BindingConditionsPending", "")
	expectWaits(t)
	c.Kill(first)
	t.WaitEvent("pod", "DeviceDied", first)
	second := attachedOn(c.WaitDevices("attached in place of the dead one", one(attached, node)), node)
	t.Expect(second).NotTo(gomega.Equal(first), "the device attached afterwards")
	t.Publish(node, node, resourceapi.Device{Name: second})
	t.WaitScheduled("pod")
	result := t.Claim("pod").Status.Allocation.Devices.Results[0]
	t.Expect(result.Pool+"/"+result.Device).To(gomega.Equal(node+"/"+second), "device of the pod")
}}

// attachedOn returns the device attached to a node.
func attachedOn(devices map[string]spec.FabricDevice, node string) string {
	for id, d := range devices {
		if d.Phase == attached && d.Node == node {
			return id
		}
	}
	return ""
}
