package sanity

import (
	"github.com/dra-conformance/dratest/framework/spec"
)

// restoredAfterRestart is about: kubernetes-sigs/dra-driver-nvidia-gpu#951.
var restoredAfterRestart = Check{Meta: spec.Meta{
	ID:       "sanity/restored-after-restart",
	Checks:   "Prepare recreates a claim's CDI spec deleted during the driver's downtime, as after a reboot.",
	Requires: []spec.RequirementID{"kep-4381/cdi-files-exist"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#951", Once: true, Run: func(t *T) {
	before := t.CDI()
	claim := t.One(t.Devices(1)[0])
	answer := t.Prepare(claim, "a claim")
	good := resolved(t.CDI(), ids(answer))
	t.restart(func() { t.loseSpecs(before, claim) })
	t.Prepare(claim, "again, after a restart without its CDI spec")
	t.expect(t.CDI().unresolved(good), "prepare said success after a restart without the CDI spec")
}}
