package sanity

import (
	"github.com/dra-conformance/dratest/framework/spec"
)

// deletedWhileAway is about: kubernetes-sigs/dra-driver-nvidia-gpu#1278.
var deletedWhileAway = Check{Meta: spec.Meta{
	ID:       "sanity/deleted-while-away",
	Checks:   "After unprepare, a claim deleted during the driver's downtime does not keep its device.",
	Requires: []spec.RequirementID{"kubeletplugin/other-process-unprepares", "kubeletplugin/unprepare-without-claim"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#1278", Once: true, Run: func(t *T) {
	device := t.Devices(1)[0]
	before := t.CDI()
	claim := t.One(device)
	answer := t.Prepare(claim, "a claim")
	t.restart(func() { t.Delete(claim) })
	t.Unprepare(claim, "a claim that was deleted while the driver was away")
	t.expect(t.CDI().left(before, claim, ids(answer)), "after unprepare of a claim that was deleted while the driver was away")
	t.Prepare(t.One(device), "another claim for its device")
}}
