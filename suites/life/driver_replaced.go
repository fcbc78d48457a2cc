package life

import (
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DriverReplaced is about: kubernetes-sigs/dranet#19, kubernetes/kubernetes#128696,
// kubernetes/kubernetes#132660. It is fair on all kubelets.
var DriverReplaced = harness.Case{Meta: spec.Meta{
	ID: "life/driver-replaced",
	Checks: "While the driver's pod on a node is replaced a pod keeps its device; the next process registers again, knows what the " +
		"first one has prepared, and leaves no more sockets; each state of its slices is sound.",
	Requires: []spec.RequirementID{
		"kubeletplugin/other-process-unprepares", "kubeletplugin/clean-shutdown", "kep-4381/driver-publishes-own-slices", "kep-4381/unprepare-undoes-prepare",
	},
	Needs:         spec.Needs{Devices: 2, Installed: true, Disruption: true},
	SerialBecause: endsDriver,
}, Run: func(t *harness.T) {
	driver := t.Installed()
	slices := driver.WatchSlices()
	t.Create(objects.Claim("claim", t.Request("req")))
	pod := t.RunPod(t.Pod("pod", "claim"))
	before := driver.Sockets(pod.Spec.NodeName)

	driver.Replace(pod.Spec.NodeName)

	goesOn(t, driver, pod, t.WaitAllocated("claim"))
	noMore(t, before, driver.Sockets(pod.Spec.NodeName))
	slices.ExpectSound()
}}
