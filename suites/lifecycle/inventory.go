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

package lifecycle

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Inventory is about: kubernetes-sigs/dra-driver-cpu#217, containers/nri-plugins#802, with no or
// not all devices published. It is fair to all kubelets.
var Inventory = harness.Case{Meta: spec.Meta{
	ID:            "life/inventory",
	Checks:        "The driver publishes as many devices of a node as its vendor's command reports.",
	Requires:      []spec.RequirementID{"kep-4381/driver-publishes-own-slices"},
	Needs:         spec.Needs{Devices: 1, DriverPods: true, Disruption: true, Hooks: []spec.HookName{spec.HookInventory}},
	SerialBecause: "Nobody may break devices meanwhile.",
}, Run: func(t *harness.T) {
	driver, node := undertest.Of(t), t.Nodes[0]
	found := driver.Inventory(node)
	t.Expect(driver.Devices(node)).To(gomega.HaveLen(len(found)), "devices published for %s; hooks.inventory found %v", node, found)
}}
