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

// oldUnprepareSparesNew is about: kubernetes-sigs/dra-driver-nvidia-gpu#641.
var oldUnprepareSparesNew = Check{Meta: spec.Meta{
	ID:       "sanity/old-unprepare-spares-new",
	Checks:   "Unprepare of an old claim does not take the device from a new claim prepared before.",
	Requires: []spec.RequirementID{"kep-4381/unprepare-undoes-prepare"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#641", Run: func(t *T) {
	device := t.Devices(1)[0]
	old := t.One(device)
	t.Prepare(old, "the old claim")
	t.Delete(old)
	fresh := t.One(device)
	answer, why := t.Try(fresh, "the new claim")
	before := t.CDI()
	t.Unprepare(old, "the old claim")
	if why != "" {
		// Rejected while the old claim was prepared, not any more.
		t.Prepare(fresh, "the new claim after the old one was unprepared")
		return
	}
	t.expect(t.CDI().changed(before, ids(answer)), "the new claim, after the old one was unprepared")
}}
