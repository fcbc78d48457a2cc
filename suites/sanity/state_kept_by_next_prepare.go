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

// stateKeptByNextPrepare is about: kubernetes-sigs/dra-example-driver#249.
var stateKeptByNextPrepare = Check{Meta: spec.Meta{
	ID:       "sanity/state-kept-by-next-prepare",
	Checks:   "The first claim prepared after a restart of the driver leaves those prepared before as they were.",
	Requires: []spec.RequirementID{"kubeletplugin/other-process-unprepares"},
}, Source: "kubernetes-sigs/dra-example-driver#249", Once: true, Run: func(t *T) {
	devices := t.Devices(2)
	unprepared := t.CDI()
	claim := t.One(devices[0])
	answer := t.Prepare(claim, "a claim")
	before := t.CDI()
	t.restart(func() {})
	t.Prepare(t.One(devices[1]), "another claim after a restart")
	t.expect(t.CDI().changed(before, ids(answer)), "a claim from before a restart, after another one was prepared")
	t.Unprepare(claim, "a claim from before a restart, after another one was prepared")
	t.expect(t.CDI().left(unprepared, claim, ids(answer)), "after a restart, prepare of another claim and unprepare")
	t.Delete(claim)
	t.Prepare(t.One(devices[0]), "another claim for the device")
}}
