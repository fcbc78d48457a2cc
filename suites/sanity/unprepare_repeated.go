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

// unprepareRepeated is about: kubeletplugin.DRAPlugin.
var unprepareRepeated = Check{Meta: spec.Meta{
	ID:       "sanity/unprepare-repeated",
	Checks:   "A claim can be unprepared ten times.",
	Requires: []spec.RequirementID{"kep-4381/unprepare-idempotent"},
}, Source: "kubeletplugin.DRAPlugin", Run: func(t *T) {
	claim := t.One(t.Devices(1)[0])
	t.Prepare(claim, "a claim")
	for i := 1; i <= times; i++ {
		t.Unprepare(claim, fmt.Sprintf("for the %d. time", i))
	}
}}
