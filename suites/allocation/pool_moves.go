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
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PoolMoves has the next generation of a pool on another node.
var PoolMoves = harness.Case{Meta: spec.Meta{
	ID:         "allocation/pool-moves",
	Checks:     "A pool's newest generation counts alone, even if it is for another node than the old slice.",
	Requires:   []spec.RequirementID{"kep-4381/highest-generation-only"},
	Needs:      spec.Needs{NoKubelet: true, Nodes: 2},
	KnownIssue: issues.Known("pool-moves"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], profiles.Device(0, "a", "8Gi"))
	moved := t.Slice("pool", t.Nodes[1], profiles.Device(1, "a", "8Gi"))
	moved.Name += "-moved"
	moved.Spec.Pool.Generation = 2
	t.Create(moved)

	t.Create(objects.Claim("new", objects.Request("req", class)), objects.OnlyOn(objects.Pod("new", t.Image, "new"), t.Nodes[1]))
	t.Expect(used(t, "new")).To(matchers.HaveDevices("device-1"), "device of the new generation")
	t.Create(objects.Claim("old", objects.Request("req", class)), objects.OnlyOn(objects.Pod("old", t.Image, "old"), t.Nodes[0]))
	if scheduled(t, "old") {
		t.Expect(t.Claim("old")).To(matchers.HaveDevices("device-0"), "device of the old generation")
		t.KnownIssue("expected no allocation of a device of the old generation, got device-0")
	}
}}
