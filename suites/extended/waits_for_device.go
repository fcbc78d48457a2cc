package extended

import (
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// WaitsForDevice asks for an extended resource that is used up.
var WaitsForDevice = harness.Case{Meta: spec.Meta{
	ID:       "extended/waits-for-device",
	Checks:   "A pod whose extended resource is used up stays pending and says why, and runs with the device when the pod that had it is gone.",
	Requires: []spec.RequirementID{"kep-5004/unschedulable-until-free", "kep-5004/claim-gone-with-pod"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	resource := createClass(t)
	one := map[string]int64{resource: 1}
	t.RunPod(objects.PodWanting("first", t.Image, one))
	t.Create(objects.PodWanting("second", t.Image, one))
	t.WaitUnschedulable("second", "cannot allocate all claims")

	t.RemovePod("first")

	t.WaitRunning("second")
	t.Expect(t.Environment("second", "main")).To(matchers.SeeOnlyDevices("device-0"), "devices of the pod that waited")
}}
