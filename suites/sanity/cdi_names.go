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

// cdiNames is about: kubeletplugin.Device.
var cdiNames = Check{Meta: spec.Meta{
	ID:       "sanity/cdi-names-qualified",
	Checks:   "The CDI devices in an answer are fully qualified names.",
	Requires: []spec.RequirementID{"kep-4381/cdi-names-qualified"},
}, Source: "kubeletplugin.Device", Run: func(t *T) {
	claim := t.One(t.Devices(1)[0])
	answer := t.Prepare(claim, "a claim")
	if len(ids(answer)) == 0 {
		t.NotApplicablef("the driver answers no CDI devices")
	}
	t.expect(unqualified(answer), "prepare a claim")
}}
