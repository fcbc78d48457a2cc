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

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RuleWithoutSelector has a rule for no device (kubernetes#141620).
var RuleWithoutSelector = harness.Case{Meta: spec.Meta{
	ID:       "allocation/rule-without-selector",
	Checks:   "A DeviceTaintRule without a selector keeps no pod from devices.",
	Requires: []spec.RequirementID{"kep-5055/rule-selector"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints, spec.DeviceTaintRules}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], profiles.Device(0, "a", "8Gi"))
	rule := objects.TaintRule(t.DriverName(), t.DriverName(), resourceapi.DeviceTaint{Key: "example.com/taint", Effect: resourceapi.DeviceTaintEffectNoSchedule})
	rule.Spec.DeviceSelector = nil
	t.Create(rule)
	scheduler.AwaitRulesSeen(t)

	t.Expect(use(t, objects.Claim("claim", objects.Request("req", class)))).To(matchers.HaveDevices("device-0"), "device with no taint")
}}
