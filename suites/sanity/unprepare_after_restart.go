package sanity

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// unprepareAfterRestart is about: kubernetes-sigs/dranet#89.
var unprepareAfterRestart = Check{Meta: spec.Meta{
	ID:       "sanity/unprepare-after-restart",
	Checks:   "A claim that another process of the driver has prepared can be unprepared, also when it has been deleted meanwhile.",
	Requires: []spec.RequirementID{"kubeletplugin/other-process-unprepares"},
}, Source: "kubernetes-sigs/dranet#89", Once: true, Run: func(t *T) {
	devices := t.Devices(2)
	before := t.CDI()
	kept, deleted := t.One(devices[0]), t.One(devices[1])
	answers := map[*resourceapi.ResourceClaim]*Answer{kept: t.Prepare(kept, "a claim"), deleted: t.Prepare(deleted, "another claim")}
	t.restart(func() { t.Delete(deleted) })
	for _, claim := range []*resourceapi.ResourceClaim{kept, deleted} {
		t.Unprepare(claim, "after a restart of the driver")
		t.expect(t.CDI().left(before, claim, ids(answers[claim])), "after a restart of the driver and unprepare")
	}
	t.Prepare(t.One(devices[1]), "another claim for the device of the deleted one")
}}
