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
	"fmt"

	"github.com/dra-conformance/dratest/framework/spec"
)

// configInvalid is about: resource.k8s.io/v1, OpaqueDeviceConfiguration.
var configInvalid = Check{Meta: spec.Meta{
	ID:       "sanity/config-invalid",
	Checks:   "Prepare rejects an invalid configuration with a message and leaves nothing behind.",
	Requires: []spec.RequirementID{"kep-4381/config-validated-by-driver"},
}, Source: "resource.k8s.io/v1, OpaqueDeviceConfiguration", Run: func(t *T) {
	if len(t.InvalidConfig) == 0 {
		t.NotApplicablef("needs a configuration the driver rejects: set --invalid-config")
	}
	device := t.Devices(1)[0]
	before := t.CDI()
	for _, config := range t.InvalidConfig {
		claim := t.One(device, Config{Requests: []string{"req"}, Parameters: config})
		_, why := t.Try(claim, fmt.Sprintf("a claim with configuration %s", config))
		if why == "" {
			t.Failf("prepare says success with configuration %s", config)
		}
		t.Notef("%s: %s", config, why)
		t.Unprepare(claim, "a claim with a failed prepare")
		t.expect(t.CDI().left(before, claim, nil), "after prepare failed, and unprepare")
		t.Delete(claim)
	}
}}
