package sanity

import (
	"github.com/dra-conformance/dratest/framework/spec"
)

// unprepareDeletedClaim is about: kubernetes-sigs/dra-driver-nvidia-gpu#340.
var unprepareDeletedClaim = Check{Meta: spec.Meta{
	ID:       "sanity/unprepare-deleted-claim",
	Checks:   "A deleted claim can be unprepared, and nothing of it is left.",
	Requires: []spec.RequirementID{"kubeletplugin/unprepare-without-claim"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#340", Run: func(t *T) {
	device := t.Devices(1)[0]
	before := t.CDI()
	claim := t.One(device)
	answer := t.Prepare(claim, "a claim")
	t.Delete(claim)
	t.Unprepare(claim, "the claim after it was deleted")
	t.expect(t.CDI().left(before, claim, ids(answer)), "after unprepare of the deleted claim")
	t.Prepare(t.One(device), "another claim for the device")
}}
