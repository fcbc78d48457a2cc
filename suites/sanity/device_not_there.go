/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

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
	if answer, why := t.Try(claim, "a claim for a nonexistent device"); why == "" {
		t.Failf("prepare succeeds with %d devices for a claim allocated device %s of pool %s, which the driver does not publish",
			len(answer.GetDevices()), lost.Name, lost.Pool)
	}
}}
