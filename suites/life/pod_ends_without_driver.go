package life

import (
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PodEndsWithoutDriver is about: kubernetes-sigs/dranet#89. It is fair to all kubelets.
var PodEndsWithoutDriver = harness.Case{Meta: spec.Meta{
	ID:     "life/pod-ends-without-driver",
	Checks: "The claim of a pod deleted right after a driver crash is unprepared by the next process.",
	Requires: []spec.RequirementID{
		"kubeletplugin/other-process-unprepares", "kep-4381/unprepare-undoes-prepare", "kep-4381/unprepare-idempotent",
	},
	Needs:         spec.Needs{Devices: 1, Installed: true, Disruption: true},
	SerialBecause: endsDriver,
}, Run: func(t *harness.T) {
	driver := t.Installed()
	t.Create(objects.Claim("claim", t.Request("req")))
	node := t.RunPod(t.Pod("pod", "claim")).Spec.NodeName
	claim := t.WaitAllocated("claim")
	t.ExpectDevices("pod", "main", claim)

	driver.Kill(node)
	t.RemovePod("pod")

	t.AwaitReleased("claim")
	driver.ExpectNothingLeft(node, claim)
	again(t, claim, node)
	driver.Replace(node)
}}
