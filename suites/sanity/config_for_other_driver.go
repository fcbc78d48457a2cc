package sanity

import (
	"encoding/json"

	"github.com/dra-conformance/dratest/framework/spec"
)

// configForOtherDriver is about: resource.k8s.io/v1, OpaqueDeviceConfiguration.Driver.
var configForOtherDriver = Check{Meta: spec.Meta{
	ID:       "sanity/config-for-other-driver",
	Checks:   "A configuration for another driver is not looked at.",
	Requires: []spec.RequirementID{"kep-4381/config-for-driver"},
}, Source: "resource.k8s.io/v1, OpaqueDeviceConfiguration.Driver", Run: func(t *T) {
	claim := t.One(t.Devices(1)[0], Config{Driver: otherDriver, Parameters: json.RawMessage(unknown)})
	t.Prepare(claim, "a claim with a configuration for another driver")
}}
