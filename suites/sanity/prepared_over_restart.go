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

// preparedOverRestart is about: kubernetes-sigs/dranet#232.
var preparedOverRestart = Check{Meta: spec.Meta{
	ID:       "sanity/prepared-over-restart",
	Checks:   "Prepared claims survive a driver restart, and prepare returns the same answer again.",
	Requires: []spec.RequirementID{"kep-4381/prepare-idempotent", "kubeletplugin/other-process-unprepares"},
}, Source: "kubernetes-sigs/dranet#232", Once: true, Run: func(t *T) {
	claim := t.One(t.Devices(1)[0])
	first := t.Prepare(claim, "a claim")
	before := t.CDI()
	t.restart(func() {})
	t.expect(t.CDI().changed(before, ids(first)), "after a restart of the driver")
	t.expect(differences(first, t.Prepare(claim, "again, after a restart")), "prepare after a restart of the driver")
	t.expect(t.CDI().changed(before, ids(first)), "after a restart of the driver and prepare")
}}
