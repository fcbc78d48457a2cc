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

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/spec"
)

// LastDeviceElsewhere lets another cluster take the only device while the absent controller still publishes it as
// free.
var LastDeviceElsewhere = harness.Case{Meta: spec.Meta{
	ID:       "fabric/last-device-elsewhere",
	Checks:   "If another cluster takes the last device first, the pod is not bound and the device is no longer published.",
	Requires: []spec.RequirementID{"kep-5007/failure-in-status", "kep-5007/failure-not-bound", "kep-5007/free-devices-published"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	c := fabric.Start(t, binding(1)).MayReport()
	c.WaitFree(1)
	c.End(spec.FabricController)
	pod(t, class)
	t.WaitAllocated("pod")
	won, err := c.Take(t.Context())
	t.NoError(err, "attach the device to another cluster")
	t.Expect(won).To(gomega.BeTrue(), "the device can be attached to another cluster")
	c.Begin(spec.FabricController)
	t.WaitEvent("pod", "NoneFree", "")
	c.WaitFree(0)
	t.WaitDeallocated("pod")
	t.WaitUnschedulable("pod", "")
	expectWaits(t)
	devices, err := c.Devices(t.Context())
	t.NoError(err, "look at the fabric")
	t.Expect(count(devices, attached, t.Nodes[0])).To(gomega.BeZero(), "devices attached to the pod's node")
}}
