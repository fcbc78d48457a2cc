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

// ConstraintsTogether has two constraints; many pairs of devices satisfy one of them.
var ConstraintsTogether = harness.Case{Meta: spec.Meta{
	ID:       "allocation/constraints-together",
	Checks:   "The devices of a claim with two constraints satisfy both of them.",
	Requires: []spec.RequirementID{"kep-4381/constraints-satisfied"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], device("a", map[string]any{"numa": 1, "bus": 1}), device("b", map[string]any{"numa": 1, "bus": 2}),
		device("c", map[string]any{"numa": 2, "bus": 1}), device("d", map[string]any{"numa": 2, "bus": 1}))
	claim := func(name string) *resourceapi.ResourceClaim {
		return constrained(objects.Claim(name, objects.Request("x", class), objects.Request("y", class)), match(t, "numa"), match(t, "bus", "x", "y"))
	}
	t.Expect(use(t, claim("first"))).To(matchers.HaveDevices("c", "d"), "the two matching in both")
	wait(t, claim("second"))
}}
