package life

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Inventory is about: kubernetes-sigs/dra-driver-cpu#217, containers/nri-plugins#802, with no or
// not all devices published. It is fair to all kubelets.
var Inventory = harness.Case{Meta: spec.Meta{
	ID:            "life/inventory",
	Checks:        "The driver publishes as many devices of a node as its vendor's command reports.",
	Requires:      []spec.RequirementID{"kep-4381/driver-publishes-own-slices"},
	Needs:         spec.Needs{Devices: 1, Installed: true, Disruption: true, Hooks: []spec.HookName{spec.HookInventory}},
	SerialBecause: "Nobody may break devices meanwhile.",
}, Run: func(t *harness.T) {
	driver, node := t.Installed(), t.Nodes[0]
	found := driver.Inventory(node)
	t.Expect(driver.Devices(node)).To(gomega.HaveLen(len(found)), "devices that are published for %s, where hooks.inventory finds %v", node, found)
}}
