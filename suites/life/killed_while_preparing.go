package life

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// KilledWhilePreparing is about: kubernetes-sigs/dra-driver-nvidia-gpu#840. It is fair on all
// kubelets. When exactly the process ends is left to chance, and what has to come of it is
// always the same.
var KilledWhilePreparing = harness.Case{Meta: spec.Meta{
	ID:     "life/killed-while-preparing",
	Checks: "When the driver's process is killed as a pod comes to its node, the pod runs with its device in the end, and all is released.",
	Requires: []spec.RequirementID{
		"kep-4381/prepare-idempotent", "kep-4381/unprepare-undoes-prepare", "kubeletplugin/other-process-unprepares",
	},
	Needs:         spec.Needs{Devices: 1, Installed: true, Disruption: true},
	SerialBecause: endsDriver,
}, Run: func(t *harness.T) {
	driver := t.Installed()
	t.Create(objects.Claim("claim", t.Request("req")))
	t.Create(t.Pod("pod", "claim"))
	node := t.WaitPod("pod", "scheduled", func(p *corev1.Pod) (bool, error) { return p.Spec.NodeName != "", nil }).Spec.NodeName

	driver.Kill(node)

	t.WaitRunning("pod")
	claim := t.WaitAllocated("claim")
	t.ExpectDevices("pod", "main", claim)
	t.RemovePod("pod")
	t.AwaitReleased("claim")
	driver.ExpectNothingLeft(node, claim)
	driver.Replace(node)
}}
