package core

import (
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SharedByContainers gives one claim to two containers of a pod.
var SharedByContainers = harness.Case{Meta: spec.Meta{
	ID:       "core/shared-by-containers",
	Checks:   "Two containers of a pod that name the same claim see the same device.",
	Requires: []spec.RequirementID{"kep-4381/share-between-containers"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices(), Devices: 1},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", t.Request("req")))
	pod := t.Pod("pod", "claim")
	pod.Spec.Containers = append(pod.Spec.Containers, t.Container("second", "claim"))

	t.RunPod(pod)

	claim := t.WaitAllocated("claim")
	for _, container := range []string{"main", "second"} {
		t.ExpectDevices("pod", container, claim)
	}
}}
