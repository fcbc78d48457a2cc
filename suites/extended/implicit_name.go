package extended

import (
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ImplicitName asks for devices of a class that names no extended resource.
var ImplicitName = harness.Case{Meta: spec.Meta{
	ID:       "extended/implicit-name",
	Checks:   "A container that asks for two of the extended resource that each class has by its own name sees two devices of that class.",
	Requires: []spec.RequirementID{"kep-5004/implicit-name"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.TwoDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)

	t.RunPod(objects.PodWanting("pod", t.Image, map[string]int64{implicit(class): 2}))

	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-0", "device-1"), "devices of the container")
}}
