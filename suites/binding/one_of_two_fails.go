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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OneOfTwoFails fails one of a pod's two claims while the other one is ready, for each of the two.
// The ready claim keeps its allocation and device status.
var OneOfTwoFails = harness.Case{Meta: spec.Meta{
	ID:       "binding/one-of-two-fails",
	Checks:   "If the device of one of two claims fails, only this claim is deallocated and allocated again.",
	Requires: []spec.RequirementID{"kep-5007/failed-claim-only", "kep-5007/failure-reschedules"},
	Needs:    spec.Needs{NoKubelet: true, Features: features()},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], conditional("a", profiles.Attached), conditional("b", profiles.Attached), conditional("c", profiles.Attached), conditional("d", profiles.Attached))
	request := func(device string) resourceapi.DeviceRequest {
		return objects.Request("req", class, t.Attribute("name")+" == '"+device+"'")
	}
	allocated := func(claim string) *metav1.Time { return t.WaitAllocated(claim).Status.Allocation.AllocationTimestamp }
	rows := []struct{ pod, first, second, fails, stays string }{
		{"first-fails", "a", "b", "a", "b"},
		{"second-fails", "c", "d", "d", "c"},
	}
	stayed := make([]*metav1.Time, len(rows))
	for i, row := range rows {
		t.Create(objects.Claim(row.first, request(row.first)), objects.Claim(row.second, request(row.second)), objects.OnlyOn(objects.Pod(row.pod, t.Image, row.first, row.second), t.Nodes[0]))
		t.WaitEvent(row.pod, "BindingConditionsPending", "")
		stayed[i] = allocated(row.stays)
		set(t, row.fails, row.fails, profiles.AttachFailed)
		set(t, row.stays, row.stays, profiles.Attached)
	}

	for i, row := range rows {
		t.WaitEvent(row.pod, "FailedScheduling", "device binding failed")
		t.WaitClaim(row.fails, "allocated anew", func(c *resourceapi.ResourceClaim) bool {
			return c.Status.Allocation != nil && len(c.Status.Devices) == 0 // device status is removed with the allocation
		})
		ready(t, row.pod, row.fails)
		t.Expect(allocated(row.stays)).To(gomega.Equal(stayed[i]), "allocation time of the claim with the working device")
		t.Expect(t.Claim(row.stays)).To(matchers.HaveDeviceConditions(profiles.Attached), "status of the working device")
	}
}}

// SharedClaimFails fails the device of a claim while two pods wait for it (kubernetes#137371).
var SharedClaimFails = harness.Case{Meta: spec.Meta{
	ID:       "binding/shared-claim-fails",
	Checks:   "If the device of a shared claim fails, all its pods are bound once the claim's next device is ready.",
	Requires: []spec.RequirementID{"kep-5007/failure-reschedules"},
	Needs:    spec.Needs{NoKubelet: true, Since: "1.36", Features: features()},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], conditional("a", profiles.Attached))
	t.Create(objects.Claim("shared", objects.Request("req", class)), objects.Pod("first", t.Image, "shared"), objects.Pod("second", t.Image, "shared"))
	for _, pod := range []string{"first", "second"} {
		t.WaitEvent(pod, "BindingConditionsPending", "")
	}
	set(t, "shared", "a", profiles.AttachFailed)
	t.WaitClaim("shared", "allocated anew", func(c *resourceapi.ResourceClaim) bool {
		return c.Status.Allocation != nil && len(c.Status.Devices) == 0
	})
	ready(t, "first", "shared")
	ready(t, "second", "shared")
}}
