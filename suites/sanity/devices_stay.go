package sanity

import (
	"github.com/dra-conformance/dratest/framework/spec"
)

// devicesStay is about: kubernetes-sigs/dra-driver-cpu#235. Containers may restart at any time
// before unprepare.
var devicesStay = Check{Meta: spec.Meta{
	ID:       "sanity/devices-stay",
	Checks:   "The CDI devices of a claim resolve until it is unprepared, even while other claims come and go.",
	Requires: []spec.RequirementID{"kep-4381/cdi-files-exist"},
}, Source: "kubernetes-sigs/dra-driver-cpu#235", Run: func(t *T) {
	devices := t.Devices(2)
	claim, other := t.One(devices[0]), t.One(devices[1])
	answer := t.Prepare(claim, "a claim")
	before := t.CDI()
	good := resolved(before, ids(answer))
	t.Prepare(other, "another claim")
	t.expect(t.CDI().changed(before, good), "a prepared claim, after another one came")
	t.Unprepare(other, "the other claim")
	t.settle()
	t.expect(t.CDI().changed(before, good), "a prepared claim, after another one went")
}}
