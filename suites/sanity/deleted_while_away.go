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

// deletedWhileAway is about: kubernetes-sigs/dra-driver-nvidia-gpu#1278.
var deletedWhileAway = Check{Meta: spec.Meta{
	ID:       "sanity/deleted-while-away",
	Checks:   "After unprepare, a claim deleted during the driver's downtime does not keep its device.",
	Requires: []spec.RequirementID{"kubeletplugin/other-process-unprepares", "kubeletplugin/unprepare-without-claim"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#1278", Once: true, Run: func(t *T) {
	device := t.Devices(1)[0]
	before := t.CDI()
	claim := t.One(device)
	answer := t.Prepare(claim, "a claim")
	t.restart(func() { t.Delete(claim) })
	t.Unprepare(claim, "a claim deleted while the driver was stopped")
	t.expect(t.CDI().left(before, claim, ids(answer)), "after unprepare of a claim deleted while the driver was stopped")
	t.Prepare(t.One(device), "another claim for its device")
}}
