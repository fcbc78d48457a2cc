package life

import (
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DriverKilled is about: kubernetes-sigs/dranet#89, kubernetes/kubernetes#132660. It is fair
// on all kubelets: they try again what could not be prepared.
var DriverKilled = harness.Case{Meta: spec.Meta{
	ID: "life/driver-killed",
	Checks: "When the driver's process is killed a pod keeps its device; a pod that is there before the next process gets a device when " +
		"that has come, and all is released; no more sockets are left.",
	Requires: []spec.RequirementID{
		"kubeletplugin/other-process-unprepares", "kep-4381/prepare-idempotent", "kep-4381/unprepare-undoes-prepare",
	},
	Needs:         spec.Needs{Devices: 2, Installed: true, Disruption: true},
	SerialBecause: endsDriver,
}, Run: func(t *harness.T) {
	driver := t.Installed()
	slices := driver.WatchSlices()
	t.Create(objects.Claim("claim", t.Request("req")))
	pod := t.RunPod(t.Pod("pod", "claim"))
	before := driver.Sockets(pod.Spec.NodeName)

	driver.Kill(pod.Spec.NodeName)

	goesOn(t, driver, pod, t.WaitAllocated("claim"))
	// A process that was killed leaves its sockets to the next one. The new pod has also not
	// the waiting time that the kubelet gives one whose container has ended.
	driver.Replace(pod.Spec.NodeName)
	noMore(t, before, driver.Sockets(pod.Spec.NodeName))
	slices.ExpectSound()
}}
