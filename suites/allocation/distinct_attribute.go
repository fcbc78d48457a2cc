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

// DistinctAttribute requests two devices with different values of an attribute.
var DistinctAttribute = harness.Case{Meta: spec.Meta{
	ID:       "allocation/distinct-attribute",
	Checks:   "Devices that must be distinct in an attribute all have it, with different values.",
	Requires: []spec.RequirementID{"kep-5075/distinct-attribute"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ConsumableCapacity}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], device("a", map[string]any{"slot": "a"}), device("also-a", map[string]any{"slot": "a"}), device("none", nil),
		device("b", map[string]any{"slot": "b"}), device("also-none", nil), device("again-a", map[string]any{"slot": "a"}))

	distinct := func(name string, number int64) *resourceapi.ResourceClaim {
		attribute := resourceapi.FullyQualifiedName(t.DriverName() + "/slot")
		return constrained(objects.Claim(name, count("req", class, number)), resourceapi.DeviceConstraint{DistinctAttribute: &attribute})
	}
	wait(t, distinct("three", 3))
	t.Expect(use(t, distinct("first", 2))).To(matchers.HaveDevices("a", "b"), "the two different ones")
	wait(t, distinct("second", 2))
	t.Expect(use(t, objects.Claim("plain", count("req", class, 3)))).To(matchers.HaveDevices("also-a", "none", "also-none"), "the remaining ones, without a constraint")
}}
