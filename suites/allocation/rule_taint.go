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

package allocation

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RuleTaint has an administrator keep pods from devices.
var RuleTaint = harness.Case{Meta: spec.Meta{
	ID:       "allocation/rule-taint",
	Checks:   "While a DeviceTaintRule taints a device with NoSchedule, only claims that tolerate the taint get it.",
	Requires: []spec.RequirementID{"kep-5055/rule-like-slice"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints, spec.DeviceTaintRules}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], profiles.Device(0, "a", "8Gi"), profiles.Device(1, "a", "8Gi"))
	taint := resourceapi.DeviceTaint{Key: "example.com/taint", Effect: resourceapi.DeviceTaintEffectNoSchedule}
	rule := objects.TaintRule(t.DriverName(), t.DriverName(), taint)
	rule.Spec.DeviceSelector.Device = ptr.To("device-0")
	t.Create(rule)
	scheduler.AwaitRulesSeen(t)

	request := func() resourceapi.DeviceRequest { return objects.Request("req", class) }
	t.Expect(use(t, objects.Claim("other", request()))).To(matchers.HaveDevices("device-1"), "device without the taint")
	wait(t, objects.Claim("waits", request()))
	tolerant := objects.Claim("tolerant", request())
	tolerant.Spec.Devices.Requests[0].Exactly.Tolerations = []resourceapi.DeviceToleration{{Key: "example.com/taint", Operator: resourceapi.DeviceTolerationOpExists}}
	t.Expect(use(t, tolerant)).To(matchers.HaveDevices("device-0"), "device with the taint")
	release(t, "tolerant")
	t.Delete(rule)
	t.Expect(used(t, "waits")).To(matchers.HaveDevices("device-0"), "device when the rule is gone")
}}
