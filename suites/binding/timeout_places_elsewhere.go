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
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TimeoutPlacesElsewhere sets only one of a device's two conditions. The scheduler reports why it
// gave the allocation up, not before the timeout.
var TimeoutPlacesElsewhere = harness.Case{Meta: spec.Meta{
	ID:       "binding/timeout-places-elsewhere",
	Checks:   "A pod whose device is not ready in time is bound to another node with a ready device.",
	Requires: []spec.RequirementID{"kep-5007/timeout-reschedules", "kep-5007/waits-for-conditions"},
	Needs:    spec.Needs{Features: features(), Profile: profiles.FabricDevice(), Nodes: 2, BindingTimeout: shortTimeout},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
	WaitsFor: waitsForTimeout,
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	t.Create(objects.Pod("pod", t.Image, "claim"))
	t.WaitEvent("pod", "BindingConditionsPending", "")
	silent, ready := waitAllocatedOn(t)
	allocated := t.Claim("claim").Status.Allocation.AllocationTimestamp
	t.Expect(allocated).NotTo(gomega.BeNil(), "time of the allocation")

	simdriver.Of(t).PublishOn(silent, profiles.Empty())
	// One of two conditions is not enough.
	simdriver.Of(t).Fabric(silent, spec.FabricCondition{Type: profiles.Attached})
	simdriver.Of(t).Fabric(ready, attached()...)

	t.Expect(t.WaitScheduled("pod").Spec.NodeName).To(gomega.Equal(ready), "node of the pod")
	gaveUp := t.WaitEvent("pod", "FailedScheduling", "device binding timeout")
	// Both times are the scheduler's, without fractions of a second.
	t.Expect(gaveUp.Sub(allocated.Time)).To(gomega.BeNumerically(">=", t.Target().BindingTimeout-time.Second), "waiting time of the scheduler")
	t.WaitRunning("pod")
	t.Expect(t.Claim("claim")).To(matchers.HaveDevicesFrom(ready), "pool of the device")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-0"), "devices of the container")
}}
