package sanity

import (
	"github.com/dra-conformance/dratest/framework/spec"
)

// preparedOverRestart is about: kubernetes-sigs/dranet#232.
var preparedOverRestart = Check{Meta: spec.Meta{
	ID:       "sanity/prepared-over-restart",
	Checks:   "Prepared claims survive a driver restart, and prepare returns the same answer again.",
	Requires: []spec.RequirementID{"kep-4381/prepare-idempotent", "kubeletplugin/other-process-unprepares"},
}, Source: "kubernetes-sigs/dranet#232", Once: true, Run: func(t *T) {
	claim := t.One(t.Devices(1)[0])
	first := t.Prepare(claim, "a claim")
	before := t.CDI()
	good := resolved(before, ids(first))
	t.restart(func() {})
	t.expect(t.CDI().changed(before, good), "after a restart of the driver")
	t.expect(differences(first, t.Prepare(claim, "again, after a restart")), "prepare after a restart of the driver")
	t.expect(t.CDI().changed(before, good), "after a restart of the driver and prepare")
}}
