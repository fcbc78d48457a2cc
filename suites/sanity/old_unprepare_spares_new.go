package sanity

import (
	"github.com/dra-conformance/dratest/framework/spec"
)

// oldUnprepareSparesNew is about: kubernetes-sigs/dra-driver-nvidia-gpu#641.
var oldUnprepareSparesNew = Check{Meta: spec.Meta{
	ID:       "sanity/old-unprepare-spares-new",
	Checks:   "Unprepare of an old claim does not take the device from a new claim prepared before.",
	Requires: []spec.RequirementID{"kep-4381/unprepare-undoes-prepare"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#641", Run: func(t *T) {
	device := t.Devices(1)[0]
	old := t.One(device)
	t.Prepare(old, "the old claim")
	t.Delete(old)
	fresh := t.One(device)
	answer, why := t.Try(fresh, "the new claim")
	before := t.CDI()
	t.Unprepare(old, "the old claim")
	if why != "" {
		// Rejected while the old claim was prepared, not any more.
		t.Prepare(fresh, "the new claim after the old one was unprepared")
		return
	}
	t.expect(t.CDI().changed(before, resolved(before, ids(answer))), "the new claim, after the old one was unprepared")
}}
