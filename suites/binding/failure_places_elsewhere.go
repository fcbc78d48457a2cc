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

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// FailurePlacesElsewhere fails the attachment of a device and withdraws the device. The scheduler
// reports why it gave the allocation up.
var FailurePlacesElsewhere = harness.Case{Meta: spec.Meta{
	ID:       "binding/failure-places-elsewhere",
	Checks:   "A pod whose device reports a binding failure is bound to another node with a ready device.",
	Requires: []spec.RequirementID{"kep-5007/failure-reschedules", "kep-5007/waits-for-conditions"},
	Needs:    spec.Needs{Features: features(), Profile: profiles.FabricDevice(), Nodes: 2},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	t.Create(objects.Pod("pod", t.Image, "claim"))
	t.WaitEvent("pod", "BindingConditionsPending", "")
	failing, ready := waitAllocatedOn(t)

	// The scheduler may choose a failed device again while it is published.
	simdriver.Of(t).PublishOn(failing, profiles.Empty())
	simdriver.Of(t).Fabric(ready, attached()...)
	simdriver.Of(t).Fabric(failing, spec.FabricCondition{Type: profiles.AttachFailed, Message: "no free port"})

	t.Expect(t.WaitScheduled("pod").Spec.NodeName).To(gomega.Equal(ready), "node of the pod")
	t.WaitEvent("pod", "FailedScheduling", "device binding failed")
	t.WaitRunning("pod")
	claim := t.Claim("claim")
	t.Expect(claim).To(matchers.HaveDevicesFrom(ready), "pool of the device")
	t.Expect(claim).NotTo(matchers.HaveDeviceConditions(profiles.AttachFailed), "status of the failed device")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-0"), "devices of the container")
}}

// attached scripts the fabric to attach a device at once.
func attached() []spec.FabricCondition {
	return []spec.FabricCondition{{Type: profiles.Attached}, {Type: profiles.Configured}}
}
