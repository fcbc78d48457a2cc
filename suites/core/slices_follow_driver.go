package core

import (
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SlicesFollowDriver checks what becomes of the slices of a driver that left.
var SlicesFollowDriver = harness.Case{Meta: spec.Meta{
	ID:       "core/slices-follow-driver",
	Checks:   "The ResourceSlices of a driver that has left its node are removed, and are there again when the driver is back.",
	Requires: []spec.RequirementID{"kep-4381/slices-removed", "kep-4381/registration"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	WaitsFor: "The kubelet removes a driver's slices 30 s after its last connection was lost (k8s.io/kubernetes v1.37.1 pkg/kubelet/cm/dra/plugin).",
}, Run: func(t *harness.T) {
	t.Driver.Disconnect()

	t.Driver.AwaitSlices(0)
	t.Driver.Connect()

	t.Driver.AwaitSlices(len(t.Nodes))
}}
