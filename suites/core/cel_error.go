package core

import (
	"fmt"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CELError makes a selector fail while it is evaluated.
var CELError = harness.Case{Meta: spec.Meta{
	ID:       "core/cel-error",
	Checks:   "A selector that fails at run time keeps the pod pending with a message that says so.",
	Requires: []spec.RequirementID{"kep-4381/cel-error-reported"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	noSuchAttribute := fmt.Sprintf("device.attributes[%q].nosuchattribute == %q", t.Driver.Name, "x")
	t.Create(objects.Claim("claim", objects.Request("req", class, noSuchAttribute)))

	t.Create(objects.Pod("pod", t.Image, "claim"))

	t.WaitUnschedulable("pod", "CEL runtime error")
}}
