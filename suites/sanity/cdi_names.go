package sanity

import (
	"github.com/dra-conformance/dratest/framework/spec"
)

// cdiNames is about: kubeletplugin.Device.
var cdiNames = Check{Meta: spec.Meta{
	ID:       "sanity/cdi-names-qualified",
	Checks:   "The CDI devices in an answer are fully qualified names.",
	Requires: []spec.RequirementID{"kep-4381/cdi-names-qualified"},
}, Source: "kubeletplugin.Device", Run: func(t *T) {
	claim := t.One(t.Devices(1)[0])
	answer := t.Prepare(claim, "a claim")
	if len(ids(answer)) == 0 {
		t.NotApplicablef("the driver answers no CDI devices")
	}
	t.expect(unqualified(answer), "prepare a claim")
}}
