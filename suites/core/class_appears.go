package core

import (
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClassAppears lets a pod wait for a device class.
var ClassAppears = harness.Case{Meta: spec.Meta{
	ID:       "core/class-appears",
	Checks:   "A pod whose device class does not exist stays pending and names the class, and is scheduled once the class is created.",
	Requires: []spec.RequirementID{"kep-4381/unschedulable-says-why", "kep-4381/class-change-retries"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
}, Run: func(t *harness.T) {
	class := t.Driver.Name
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	t.Create(objects.Pod("pod", t.Image, "claim"))
	t.WaitUnschedulable("pod", "device class "+class+" does not exist")

	t.CreateClass(nil)

	t.WaitRunning("pod")
}}
