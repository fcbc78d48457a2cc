package core

import (
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NoClaimNoDevice keeps devices away from containers that did not ask.
var NoClaimNoDevice = harness.Case{Meta: spec.Meta{
	ID:       "core/no-claim-no-device",
	Checks:   "A container that names no claim sees nothing of the devices of its pod.",
	Requires: []spec.RequirementID{"kep-4381/only-named-claims"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.Containers = append(pod.Spec.Containers, objects.Container("other", t.Image, objects.ShowAndStay))

	t.RunPod(pod)

	t.Expect(t.Environment("pod", "main")).To(matchers.SeeDevices("claim", "req", "device-0"), "device of the container with the claim")
	t.Expect(t.Environment("pod", "other")).To(matchers.SeeNothing(), "what the driver says in the container without the claim")
}}
