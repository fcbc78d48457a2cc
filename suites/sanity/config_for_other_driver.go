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
