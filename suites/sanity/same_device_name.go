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

// sameDeviceName is about: KEP-4381, ResourceSlice.
var sameDeviceName = Check{Meta: spec.Meta{
	ID:       "sanity/same-device-name",
	Checks:   "Devices of the same name in two pools are two devices: preparing one does not affect the other.",
	Requires: []spec.RequirementID{"kep-4381/device-identity", "kep-4381/device-named-in-answer"},
}, Source: "KEP-4381, ResourceSlice", Run: func(t *T) {
	one, other := t.Namesakes()
	first, second := t.One(one), t.One(other)
	answer := t.Prepare(first, "a claim")
	t.named(first, answer, "prepare a claim")
	before := t.CDI()
	next := t.Prepare(second, "a claim for the device of the same name in another pool")
	t.named(second, next, "prepare a claim for the device of the same name in another pool")
	t.expect(t.CDI().unresolved(ids(next)), "prepare a claim for the device of the same name in another pool")
	t.expect(t.CDI().changed(before, ids(answer)), "a claim, after the device of the same name was prepared")
	t.Unprepare(second, "the claim for the device of the same name")
	t.expect(t.CDI().changed(before, ids(answer)), "a claim, after the device of the same name was unprepared")
	t.Unprepare(first, "a claim")
	both := t.Claim(nil, Want{Device: one, Request: "one"}, Want{Device: other, Request: "two"})
	t.named(both, t.Prepare(both, "a claim for both devices"), "prepare a claim for both devices")
}}
