package sanity

import (
	"github.com/dra-conformance/dratest/framework/spec"
)

// configForOtherDriver is about: resource.k8s.io/v1, OpaqueDeviceConfiguration.Driver.
var configForOtherDriver = Check{Meta: spec.Meta{
	ID:       "sanity/config-for-other-driver",
	Checks:   "The driver ignores configurations for another driver.",
	Requires: []spec.RequirementID{"kep-4381/config-for-driver"},
}, Source: "resource.k8s.io/v1, OpaqueDeviceConfiguration.Driver", Run: func(t *T) {
	device := t.Devices(1)[0]
	if refused := t.refusedConfig(); refused != nil {
		t.Prepare(t.One(device, Config{Driver: otherDriver, Parameters: refused}), "a claim with a configuration for another driver")
		return
	}
	// Even a driver accepting any configuration may apply this one visibly.
	config, want := t.visible(device), Want{Device: device, Request: "req"}
	plain := t.content("req", nil, want)
	if got := t.content("req", []Config{{Driver: otherDriver, Parameters: config}}, want); got != plain {
		t.Failf("containers get %s without configuration, and %s with %s for another driver", plain, got, config)
	}
}}
