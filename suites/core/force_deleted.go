package core

import (
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ForceDeleted removes a pod's object before the kubelet is done with it.
var ForceDeleted = harness.Case{Meta: spec.Meta{
	ID:       "core/force-deleted",
	Checks:   "The claim of a force-deleted pod is unprepared.",
	Requires: []spec.RequirementID{"kep-4381/unprepare-after-last", "kep-4381/unprepare-force-deleted"},
	Needs:    spec.Needs{Profile: profiles.OneDevice(), Devices: 1},
	// Wrong answers are left out: no pod remains whose end would wait.
	Catches: []spec.MutantID{
		"driver-unprepare-claim-error", "driver-unprepare-call-error", "driver-unprepare-hang",
		"driver-unprepare-slow", "driver-unprepare-nothing-done",
	},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", t.Request("req")))
	pod := t.RunPod(t.Pod("pod", "claim"))

	t.Step("delete the pod by force")
	t.Delete(pod, harness.GracePeriod(0))

	t.WaitPodGone("pod")
	t.AwaitReleased("claim")
}}
