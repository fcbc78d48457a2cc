package life

import (
	"time"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// UpdateUndone has the kubelet call the new process and then the first one again, which has run
// all the time. It is fair on all kubelets: since v1.33 they know several instances of a driver.
var UpdateUndone = harness.Case{Meta: spec.Meta{
	ID: "life/update-undone",
	Checks: "An update of the driver's daemon set is undone while the old and the new process run side by side: a claim that the old one has prepared can be " +
		"unprepared while both are there, and one that was prepared meanwhile when only the old one is left; nothing of them stays.",
	Requires:      []spec.RequirementID{"kubeletplugin/instances-share-state", "kubeletplugin/clean-shutdown", "kep-4381/unprepare-undoes-prepare"},
	Needs:         spec.Needs{Devices: 2, Installed: true, Disruption: true, DriverFeatures: []spec.DriverFeature{spec.DriverRollingUpdate}},
	WaitsFor:      "A process that ends may take as long as its pod's grace period.",
	SerialBecause: endsDriver,
	Timeout:       5 * time.Minute,
}, Run: func(t *harness.T) {
	driver, node := t.Installed(), t.Nodes[0]
	before := driver.Sockets(node)
	run := func(name string) {
		t.Create(objects.Claim(name, t.Request("req")))
		t.RunPod(objects.OnlyOn(t.Pod(name, name), node))
		t.ExpectDevices(name, "main", t.WaitAllocated(name))
	}
	gone := func(name string) {
		claim := t.WaitAllocated(name)
		t.RemovePod(name)
		t.AwaitReleased(name)
		driver.ExpectNothingLeft(node, claim)
	}
	run("of-the-first")

	update := driver.RollOutHalfway(node)
	gone("of-the-first")
	run("meanwhile")

	update.Undo(node)
	gone("meanwhile")
	run("afterwards")
	gone("afterwards")
	noMore(t, before, driver.Sockets(node))
}}
