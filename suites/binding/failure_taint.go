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

package binding

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// FailureTaint taints a device after its binding failure. The device comes first in allocation
// order, and nothing of it stays in the claim.
var FailureTaint = harness.Case{Meta: spec.Meta{
	ID:       "binding/failure-taint",
	Checks:   "A device with a binding failure and a NoSchedule taint is not allocated again.",
	Requires: []spec.RequirementID{"kep-5007/failure-reschedules", "kep-5055/tolerated-or-not"},
	Needs:    spec.Needs{NoKubelet: true, Features: append(features(), spec.DeviceTaints)},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], conditional("failing", profiles.Attached))
	t.Create(objects.Claim("claim", objects.Request("req", class)), objects.Pod("pod", t.Image, "claim"))
	t.WaitEvent("pod", "BindingConditionsPending", "")
	t.Publish("second", t.Nodes[0], conditional("other", profiles.Attached)) // equally good, but in a later pool

	edit.Slice(t, "pool-"+t.DriverName(), func(s *resourceapi.ResourceSlice) {
		s.Spec.Devices[0].Taints = []resourceapi.DeviceTaint{{Key: "dra-conformance.github.io/attach-failed", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
	})
	scheduler.AwaitSeen(t)
	if held := t.Claim("claim"); held.Status.Allocation == nil || held.Status.Allocation.Devices.Results[0].Device != "failing" {
		t.Blockedf("the scheduler has waited for the device for as long as it does before it was seen to know of the taint")
	}
	set(t, "claim", "failing", profiles.AttachFailed)
	t.WaitEvent("pod", "FailedScheduling", "device binding failed")
	again := t.WaitClaim("claim", "allocated with the other device", func(c *resourceapi.ResourceClaim) bool {
		return c.Status.Allocation != nil && c.Status.Allocation.Devices.Results[0].Device == "other"
	})
	t.Expect(again.Status.Devices).To(gomega.BeEmpty(), "status of devices not allocated to the claim")
	ready(t, "pod", "claim")
	t.Expect(t.Claim("claim")).To(matchers.HaveDevices("other"), "device of the pod")
}}
