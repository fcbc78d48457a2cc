package sanity

import (
	"github.com/dra-conformance/dratest/framework/spec"
)

// deviceNotThere is about: KEP-4381, publishing node resources.
var deviceNotThere = Check{Meta: spec.Meta{
	ID:       "sanity/device-not-there",
	Checks:   "A claim with a device missing from the driver's pool, such as a withdrawn one, is not prepared.",
	Requires: []spec.RequirementID{"kep-4381/driver-checks-devices-at-prepare"},
}, Source: "KEP-4381, publishing node resources", Run: func(t *T) {
	lost := Device{Pool: t.Devices(1)[0].Pool, Name: "dratest-withdrawn"}
	claim := t.unallocated(nil, Want{Device: lost, Request: "req"})
	t.allocate(claim, nil, Want{Device: lost, Request: "req"})
	if answer, why := t.Try(claim, "a claim for a device that there is not"); why == "" {
		t.Failf("prepare says success with %d devices for a claim that was allocated device %s of pool %s, which the driver does not publish",
			len(answer.GetDevices()), lost.Name, lost.Pool)
	}
}}
