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

// unprepareAfterRestart is about: kubernetes-sigs/dranet#89.
var unprepareAfterRestart = Check{Meta: spec.Meta{
	ID:       "sanity/unprepare-after-restart",
	Checks:   "A claim prepared by another process of the driver can be unprepared, which frees its device.",
	Requires: []spec.RequirementID{"kubeletplugin/other-process-unprepares"},
}, Source: "kubernetes-sigs/dranet#89", Once: true, Run: func(t *T) {
	device := t.Devices(1)[0]
	before := t.CDI()
	claim := t.One(device)
	answer := t.Prepare(claim, "a claim")
	t.restart(func() {})
	t.Unprepare(claim, "after a restart of the driver")
	t.expect(t.CDI().left(before, claim, ids(answer)), "after a restart of the driver and unprepare")
	t.Prepare(t.One(device), "another claim for the device")
}}
