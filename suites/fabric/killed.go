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
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ControllerKilled kills the controller before, while and after a device is attached.
var ControllerKilled = harness.Case{Meta: spec.Meta{
	ID:       "fabric/controller-killed",
	Checks:   "A controller killed before, during and after attaching a device attaches exactly one for the pod.",
	Requires: []spec.RequirementID{"kep-5007/controller-prepares", "kep-5007/waits-for-conditions"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	c := fabric.Start(t, binding(3)).MayReport()
	c.WaitFree(3)
	c.Say(spec.AttachRule{Takes: 5 * time.Second})
	c.End(spec.FabricController)
	pod(t, class)
	t.WaitAllocated("pod")
	c.Begin(spec.FabricController)
	c.WaitDevices("on the way", one("Attaching", t.Nodes[0]))
	expectWaits(t)
	c.End(spec.FabricController)
	c.WaitDevices("attached", one(attached, t.Nodes[0]))
	c.Begin(spec.FabricController)
	t.WaitScheduled("pod")
	c.WaitFree(2)
	c.End(spec.FabricController)
	won, err := c.Take(t.Context())
	t.NoError(err, "attach a device to another cluster")
	t.Expect(won).To(gomega.BeTrue(), "one of the two free devices can be attached elsewhere")
	c.Begin(spec.FabricController)
	c.WaitFree(1) // reported by the restarted controller only
	c.WaitDevices("one attached for the pod, one elsewhere, one free", func(d map[string]spec.FabricDevice) bool {
		return count(d, attached, t.Nodes[0]) == 1 && count(d, attached, "") == 2 && count(d, free, "") == 1
	})
}}

// ManagerKilled kills the fabric's manager while it attaches a device.
var ManagerKilled = harness.Case{Meta: spec.Meta{
	ID:       "fabric/manager-killed",
	Checks:   "While the fabric is down, pods wait for devices; after its return one device is attached and the pod is bound.",
	Requires: []spec.RequirementID{"kep-5007/controller-prepares", "kep-5007/waits-for-conditions"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	c := fabric.Start(t, binding(3)).MayReport()
	c.WaitFree(3)
	c.Say(spec.AttachRule{Takes: 3 * time.Second})
	pod(t, class)
	c.WaitDevices("on the way", one("Attaching", t.Nodes[0]))
	c.End(spec.FabricManager)
	t.WaitEvent("pod", "FabricUnavailable", "")
	expectWaits(t)
	c.Begin(spec.FabricManager)
	t.WaitScheduled("pod")
	c.WaitDevices("one attached, two free", func(d map[string]spec.FabricDevice) bool {
		return count(d, attached, t.Nodes[0]) == 1 && count(d, free, "") == 2
	})
}}
