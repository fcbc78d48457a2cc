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
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// FailedDeviceFree has a device fail after one of its conditions was met, and become ready later. The
// device's status is removed with the failed allocation.
var FailedDeviceFree = harness.Case{Meta: spec.Meta{
	ID:       "binding/failed-device-free",
	Checks:   "After a binding failure a device is free to be allocated again, and must meet all its conditions anew.",
	Requires: []spec.RequirementID{"kep-5007/failure-not-bound", "kep-5007/failed-device-free", "kep-5007/failure-reschedules", "kep-5007/waits-for-conditions"},
	Needs:    spec.Needs{NoKubelet: true, Features: features()},
	WaitsFor: waitsForLooks,
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], conditional("device", profiles.Attached, profiles.Configured))
	t.Create(objects.Claim("claim", objects.Request("req", class)), objects.Pod("pod", t.Image, "claim"))
	t.WaitEvent("pod", "BindingConditionsPending", "")
	first := t.WaitAllocated("claim").Status.Allocation.AllocationTimestamp

	set(t, "claim", "device", profiles.Attached)
	set(t, "claim", "device", profiles.AttachFailed)
	t.WaitEvent("pod", "FailedScheduling", "device binding failed")
	again := t.WaitClaim("claim", "allocated anew", func(c *resourceapi.ResourceClaim) bool {
		return c.Status.Allocation != nil && !c.Status.Allocation.AllocationTimestamp.Equal(first)
	})
	t.Expect(again.Status.Devices).To(gomega.BeEmpty(), "status of the newly allocated device")
	set(t, "claim", "device", profiles.Attached)
	stayUnbound(t, "pod")
	ready(t, "pod", "claim")
	t.Expect(t.Claim("claim")).To(matchers.HaveDevices("device"), "device of the pod")
}}
