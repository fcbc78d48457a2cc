package life

import (
	"time"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// UpdatedInTurn is for drivers that are not fit for two processes side by side. It is fair on
// all kubelets.
var UpdatedInTurn = harness.Case{Meta: spec.Meta{
	ID: "life/updated-in-turn",
	Checks: "While all pods of the daemon set of a driver without rolling updates are replaced no two of them run side by side on a node; a pod keeps its " +
		"device, and the new process goes on with what the old one has prepared.",
	Requires: []spec.RequirementID{"kubeletplugin/no-surge-without-rolling-update", "kubeletplugin/other-process-unprepares", "kubeletplugin/clean-shutdown"},
	Needs: spec.Needs{
		Devices: 2, Installed: true, Disruption: true, NoDriverFeatures: []spec.DriverFeature{spec.DriverRollingUpdate},
	},
	WaitsFor:      "A DaemonSet replaces one pod after the other, and each of them only after its minReadySeconds.",
	SerialBecause: endsDriver,
	NoMutant:      "what breaks it is the daemon set of a driver, not the driver: dra-sim, whose daemon set has a maxSurge, fails it when it is declared without rolling updates",
	Timeout:       5 * time.Minute,
}, Run: func(t *harness.T) {
	driver := t.Installed()
	t.Create(objects.Claim("claim", t.Request("req")))
	pod := t.RunPod(t.Pod("pod", "claim"))
	before := driver.Sockets(pod.Spec.NodeName)

	driver.RollOut().AwaitInTurn()
	driver.AwaitBack(pod.Spec.NodeName)

	goesOn(t, driver, pod, t.WaitAllocated("claim"))
	noMore(t, before, driver.Sockets(pod.Spec.NodeName))
}}
