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
	t.Expect(use(t, claim("first"))).To(matchers.HaveDevices("c", "d"), "the two that match in both")
	wait(t, claim("second"))
}}
