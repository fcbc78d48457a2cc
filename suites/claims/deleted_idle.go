package claims

import (
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeletedIdle deletes an allocated claim without consumers.
var DeletedIdle = harness.Case{Meta: spec.Meta{
	ID:       "claims/deleted-idle",
	Checks:   "An allocated claim without consumers keeps its device until it is deleted; another pod gets the device then.",
	Requires: []spec.RequirementID{"kep-4381/deleted-idle-claim-goes"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	allocated(t, "idle", class)
	t.AwaitSeen()
	t.Create(objects.Claim("next", objects.Request("req", class)), objects.Pod("next", t.Image, "next"))
	t.WaitUnschedulable("next", "cannot allocate all claims")

	t.Delete(t.Claim("idle"))
	t.WaitClaimGone("idle")
	t.WaitScheduled("next")
}}
