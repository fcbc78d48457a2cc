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

// AlternativeReference refers to a request with alternatives by its name only.
var AlternativeReference = harness.Case{Meta: spec.Meta{
	ID:       "allocation/alternative-reference",
	Checks:   "Constraints and configuration for a request apply to the chosen alternative; those for others have no effect.",
	Requires: []spec.RequirementID{"kep-4816/reference-to-all"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.PrioritizedList}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	of := func(model string) []resourceapi.DeviceSelector {
		return []resourceapi.DeviceSelector{objects.Selector(t.Attribute("model") + " == '" + model + "'")}
	}
	claim := func(name, reference string) *resourceapi.ResourceClaim {
		c := objects.Claim(name, resourceapi.DeviceRequest{Name: "list", FirstAvailable: []resourceapi.DeviceSubRequest{
			{Name: "absent", DeviceClassName: class, Selectors: of("c")}, {Name: "there", DeviceClassName: class, Selectors: of("b")},
		}}, objects.Request("fixed", class, t.Attribute("model")+" == 'a'"))
		config := objects.ClaimParameters(t.DriverName(), map[string]string{"a": "1"})
		config.Requests = []string{reference}
		c.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{config}
		return constrained(c, match(t, "numa", reference, "fixed"))
	}
	t.Publish("pool", t.Nodes[0], device("b-1", map[string]any{"model": "b", "numa": 1}), device("b-2", map[string]any{"model": "b", "numa": 2}),
		device("a-2", map[string]any{"model": "a", "numa": 2}))

	first := use(t, claim("first", "list"))
	t.Expect(results(first)).To(gomega.ConsistOf("list/there=pool/b-2", "fixed=pool/a-2"), "matching devices")
	t.Expect(configurations(first)).To(gomega.Equal([]string{`FromClaim [list] ` + t.DriverName() + ` {"a":"1"}`}), "configuration in the allocation")
	release(t, "first")
	t.Expect(results(use(t, claim("second", "list/absent")))).To(gomega.ConsistOf("list/there=pool/b-1", "fixed=pool/a-2"), "devices with a constraint on an unused alternative")
}}
