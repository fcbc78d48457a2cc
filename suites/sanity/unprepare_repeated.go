package sanity

import (
	"fmt"

	"github.com/dra-conformance/dratest/framework/spec"
)

// unprepareRepeated is about: kubeletplugin.DRAPlugin.
var unprepareRepeated = Check{Meta: spec.Meta{
	ID:       "sanity/unprepare-repeated",
	Checks:   "A claim can be unprepared ten times.",
	Requires: []spec.RequirementID{"kep-4381/unprepare-idempotent"},
}, Source: "kubeletplugin.DRAPlugin", Run: func(t *T) {
	claim := t.One(t.Devices(1)[0])
	t.Prepare(claim, "a claim")
	for i := 1; i <= times; i++ {
		t.Unprepare(claim, fmt.Sprintf("for the %d. time", i))
	}
}}
