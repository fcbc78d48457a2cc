package life

import (
	"time"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PublishedAgain is about: ROCm/k8s-gpu-dra-driver#83. It is fair to all kubelets. Node fields must
// match the vendor's declaration.
var PublishedAgain = harness.Case{Meta: spec.Meta{
	ID:       "life/published-again",
	Checks:   "A driver starting on a node without ResourceSlices publishes the same devices as before.",
	Requires: []spec.RequirementID{"kep-4381/driver-publishes-own-slices"},
	Needs:    spec.Needs{Devices: 1, Installed: true, Disruption: true},
	WaitsFor: "The library of drivers looks for its slices only 30 s after it has written them " +
		"(k8s.io/dynamic-resource-allocation v0.37.1 resourceslice).",
	SerialBecause: endsDriver,
	Timeout:       4 * time.Minute,
}, Run: func(t *harness.T) {
	driver, node := t.Installed(), t.Nodes[0]
	before := driver.Devices(node)
	driver.ExpectTemplate(before)

	driver.ReplaceWithoutSlices(node)

	driver.AwaitSame(node, before)
}}
