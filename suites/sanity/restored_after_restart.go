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

// restoredAfterRestart is about: kubernetes-sigs/dra-driver-nvidia-gpu#951.
var restoredAfterRestart = Check{Meta: spec.Meta{
	ID:       "sanity/restored-after-restart",
	Checks:   "Prepare recreates a claim's CDI spec deleted during the driver's downtime, as after a reboot.",
	Requires: []spec.RequirementID{"kep-4381/cdi-files-exist"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#951", Once: true, Run: func(t *T) {
	before := t.CDI()
	claim := t.One(t.Devices(1)[0])
	answer := t.Prepare(claim, "a claim")
	good := t.CDI()
	t.restart(func() { t.loseSpecs(before, claim) })
	t.Prepare(claim, "again, after a restart without its CDI spec")
	t.expect(t.CDI().gone(good, ids(answer)), "prepare said success after a restart without the CDI spec")
}}
