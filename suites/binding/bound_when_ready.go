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

// BoundWhenReady makes a device's two conditions true one after the other. An event reports the
// wait.
var BoundWhenReady = harness.Case{Meta: spec.Meta{
	ID:       "binding/bound-when-ready",
	Checks:   "A pod is bound only when all binding conditions of its device are true.",
	Requires: []spec.RequirementID{"kep-5007/conditions-copied", "kep-5007/waits-for-conditions"},
	Needs:    spec.Needs{Features: features(), Profile: profiles.FabricDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	t.Create(objects.Pod("pod", t.Image, "claim"))
	t.WaitEvent("pod", "BindingConditionsPending", t.Nodes[0])
	result := t.WaitAllocated("claim").Status.Allocation.Devices.Results[0]
	t.Expect(result.BindingConditions).To(gomega.ConsistOf(profiles.Attached, profiles.Configured), "binding conditions in the allocation")
	t.Expect(result.BindingFailureConditions).To(gomega.ConsistOf(profiles.AttachFailed), "binding failure conditions in the allocation")

	// The second condition follows at least one more check by the scheduler.
	simdriver.Of(t).Fabric(t.Nodes[0], spec.FabricCondition{Type: profiles.Attached},
		spec.FabricCondition{Type: profiles.Configured, Delay: betweenLooks + 2*time.Second})

	t.WaitScheduled("pod")
	t.Expect(t.Claim("claim")).To(matchers.HaveDeviceConditions(profiles.Attached, profiles.Configured), "conditions when the pod was bound")
	t.WaitRunning("pod")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-0"), "devices of the container")
}}
