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

// unprepareDeletedClaim is about: kubernetes-sigs/dra-driver-nvidia-gpu#340.
var unprepareDeletedClaim = Check{Meta: spec.Meta{
	ID:       "sanity/unprepare-deleted-claim",
	Checks:   "A deleted claim can be unprepared, and nothing of it is left.",
	Requires: []spec.RequirementID{"kubeletplugin/unprepare-without-claim"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#340", Run: func(t *T) {
	device := t.Devices(1)[0]
	before := t.CDI()
	claim := t.One(device)
	answer := t.Prepare(claim, "a claim")
	t.Delete(claim)
	t.Unprepare(claim, "the claim after it was deleted")
	t.expect(t.CDI().left(before, claim, ids(answer)), "after unprepare of the deleted claim")
	t.Prepare(t.One(device), "another claim for the device")
}}
