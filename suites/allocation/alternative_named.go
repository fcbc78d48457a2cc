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
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AlternativeNamed refers to alternatives one by one.
var AlternativeNamed = harness.Case{Meta: spec.Meta{
	ID:       "allocation/alternative-named",
	Checks:   "A constraint on an alternative decides which one is chosen, and the allocation has only its configuration.",
	Requires: []spec.RequirementID{"kep-4816/reference-to-one"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.PrioritizedList}},
}, Run: func(t *harness.T) {
	mine := t.DriverName()
	classOf := func(model string) string {
		class := objects.Class(model+"-"+mine, mine)
		class.Spec.Config = []resourceapi.DeviceClassConfiguration{objects.ClassParameters(mine, map[string]string{"class": model})}
		t.Create(class)
		return class.Name
	}
	a, b := classOf("a"), classOf("b")
	of := func(model string) string { return t.Attribute("model") + " == '" + model + "'" }
	fixed := objects.Request("fixed", t.CreateClass(nil), of("fixed"))
	claim := func(name string) *resourceapi.ResourceClaim {
		c := objects.Claim(name, resourceapi.DeviceRequest{Name: "list", FirstAvailable: []resourceapi.DeviceSubRequest{
			{Name: "a", DeviceClassName: a, Selectors: []resourceapi.DeviceSelector{objects.Selector(of("a"))}},
			{Name: "b", DeviceClassName: b, Selectors: []resourceapi.DeviceSelector{objects.Selector(of("b"))}},
		}}, fixed)
		for _, reference := range []string{"list/a", "list/b"} {
			config := objects.ClaimParameters(mine, map[string]string{"for": reference})
			config.Requests = []string{reference}
			c.Spec.Devices.Config = append(c.Spec.Devices.Config, config)
		}
		return constrained(c, match(t, "numa", "list/a", "fixed"))
	}
	t.Publish("pool", t.Nodes[0], device("a-1", map[string]any{"model": "a", "numa": 1}), device("b-1", map[string]any{"model": "b", "numa": 1}),
		device("fixed-2", map[string]any{"model": "fixed", "numa": 2}))

	second := use(t, claim("second"))
	t.Expect(results(second)).To(gomega.ConsistOf("list/b=pool/b-1", "fixed=pool/fixed-2"), "devices where none of the first alternative satisfies its constraint")
	t.Expect(configurations(second)).To(gomega.Equal([]string{`FromClass [list/b] ` + mine + ` {"class":"b"}`, `FromClaim [list/b] ` + mine + ` {"for":"list/b"}`}), "configuration of the second alternative")
	release(t, "second")
	t.Publish("pool-2", t.Nodes[0], device("a-2", map[string]any{"model": "a", "numa": 2}))
	scheduler.AwaitSeen(t)
	first := use(t, claim("first"))
	t.Expect(results(first)).To(gomega.ConsistOf("list/a=pool-2/a-2", "fixed=pool/fixed-2"), "devices where one of the first alternative satisfies its constraint")
	t.Expect(configurations(first)).To(gomega.Equal([]string{`FromClass [list/a] ` + mine + ` {"class":"a"}`, `FromClaim [list/a] ` + mine + ` {"for":"list/a"}`}), "configuration of the first alternative")
}}
