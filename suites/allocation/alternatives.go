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

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Alternatives has two requests: the best alternative of one takes devices needed by the other.
var Alternatives = harness.Case{Meta: spec.Meta{
	ID:       "allocation/alternatives",
	Checks:   "A claim gets the first combination of alternatives that satisfies all of its requests.",
	Requires: []spec.RequirementID{"kep-4816/first-fit-on-node"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.PrioritizedList}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	model := func(name string) []resourceapi.DeviceSelector {
		return []resourceapi.DeviceSelector{objects.Selector(t.Attribute(profiles.Model) + " == '" + name + "'")}
	}
	claim := func(name string) *resourceapi.ResourceClaim {
		return objects.Claim(name, resourceapi.DeviceRequest{Name: "list", FirstAvailable: []resourceapi.DeviceSubRequest{
			{Name: "best", DeviceClassName: class, Selectors: model("a")}, {Name: "good", DeviceClassName: class, Selectors: model("b")},
		}}, objects.Request("fixed", class, t.Attribute(profiles.Model)+" == 'a'"))
	}
	t.Publish("pool", t.Nodes[0], profiles.Device(0, "b", "8Gi"), profiles.Device(1, "a", "8Gi"), profiles.Device(2, "a", "8Gi"))

	t.Expect(results(use(t, claim("first")))).To(gomega.ConsistOf("list/best=pool/device-1", "fixed=pool/device-2"), "devices where there is enough of both")
	release(t, "first")
	use(t, objects.Claim("other", objects.Request("req", class, t.Attribute(profiles.Model)+" == 'a'")))
	t.Expect(results(use(t, claim("second")))).To(gomega.ConsistOf("list/good=pool/device-0", "fixed=pool/device-2"), "devices where one a is left")
}}
