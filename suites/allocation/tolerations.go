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
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Tolerations requests tainted devices with matching and other tolerations.
var Tolerations = harness.Case{Meta: spec.Meta{
	ID:       "allocation/tolerations",
	Checks:   "A NoSchedule device is allocated only to requests with a matching toleration, and the allocation records it.",
	Requires: []spec.RequirementID{"kep-5055/toleration-equal", "kep-5055/toleration-exists", "kep-5055/tolerations-copied", "kep-5055/tolerated-or-not"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	const key, value = "example.com/taint", "value"
	equal, exists := resourceapi.DeviceTolerationOpEqual, resourceapi.DeviceTolerationOpExists
	class := t.CreateClass(nil)
	publish := func(pool string) {
		d := device(pool, map[string]any{"of": pool})
		d.Taints = []resourceapi.DeviceTaint{{Key: key, Value: value, Effect: resourceapi.DeviceTaintEffectNoSchedule}}
		t.Publish(pool, t.Nodes[0], d)
	}
	ask := func(name, pool string, tolerations ...resourceapi.DeviceToleration) *resourceapi.ResourceClaim {
		request := objects.Request("req", class, t.Attribute("of")+" == '"+pool+"'")
		request.Exactly.Tolerations = tolerations
		return objects.Claim(name, request)
	}
	for name, toleration := range map[string]resourceapi.DeviceToleration{
		"equal":  {Key: key, Operator: equal, Value: value, Effect: resourceapi.DeviceTaintEffectNoSchedule},
		"exists": {Key: key, Operator: exists, Effect: resourceapi.DeviceTaintEffectNoSchedule}, "all": {Operator: exists}, "any-effect": {Key: key, Operator: equal, Value: value},
	} {
		publish(name)
		got := use(t, ask(name, name, toleration)).Status.Allocation.Devices.Results[0]
		t.Expect(got.Tolerations).To(gomega.Equal([]resourceapi.DeviceToleration{toleration}), "tolerations in the allocation of claim %s", name)
	}
	publish("left")
	for name, tolerations := range map[string][]resourceapi.DeviceToleration{
		"none": nil, "other-value": {{Key: key, Operator: equal, Value: "other"}}, "other-key": {{Key: "example.com/other", Operator: exists}, {Key: "example.com/other", Operator: equal, Value: value}},
		"other-effect": {{Key: key, Operator: exists, Effect: resourceapi.DeviceTaintEffectNoExecute}}, "no-value": {{Key: key, Operator: equal}},
	} {
		wait(t, ask("not-"+name, "left", tolerations...))
	}
	use(t, ask("last", "left", resourceapi.DeviceToleration{Operator: exists}))
}}
