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

// devicesStay is about: kubernetes-sigs/dra-driver-cpu#235. Containers may restart at any time
// before unprepare.
var devicesStay = Check{Meta: spec.Meta{
	ID:       "sanity/devices-stay",
	Checks:   "The CDI devices of a claim resolve until it is unprepared, even while other claims come and go.",
	Requires: []spec.RequirementID{"kep-4381/cdi-files-exist"},
}, Source: "kubernetes-sigs/dra-driver-cpu#235", Run: func(t *T) {
	devices := t.Devices(2)
	claim, other := t.One(devices[0]), t.One(devices[1])
	answer := t.Prepare(claim, "a claim")
	before := t.CDI()
	t.Prepare(other, "another claim")
	t.expect(t.CDI().changed(before, ids(answer)), "a prepared claim, after another one came")
	t.Unprepare(other, "the other claim")
	t.settle()
	t.expect(t.CDI().changed(before, ids(answer)), "a prepared claim, after another one went")
}}
