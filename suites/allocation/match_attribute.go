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

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// MatchAttribute requests two devices with the same value of an attribute.
var MatchAttribute = harness.Case{Meta: spec.Meta{
	ID:       "allocation/match-attribute",
	Checks:   "Devices that must match in an attribute have the same value of the same type.",
	Requires: []spec.RequirementID{"kep-4381/match-attribute", "kep-4381/match-attribute-missing"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], device("one", map[string]any{"numa": 1}), device("text", map[string]any{"numa": "1"}), device("none", nil),
		device("two", map[string]any{"numa": 2}), device("also-one", map[string]any{"numa": 1}), device("also-none", nil))

	matching := func(name string) *resourceapi.ResourceClaim {
		return constrained(objects.Claim(name, count("req", class, 2)), match(t, "numa"))
	}
	t.Expect(use(t, matching("first"))).To(matchers.HaveDevices("one", "also-one"), "the two matching ones")
	wait(t, matching("second"))
	t.Expect(use(t, objects.Claim("plain", count("req", class, 4)))).To(matchers.HaveDevices("text", "none", "two", "also-none"), "the remaining ones, without a constraint")
}}
