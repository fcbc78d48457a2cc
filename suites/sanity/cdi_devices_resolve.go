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

// cdiDevicesResolve is about: kubernetes-sigs/dra-driver-nvidia-gpu#1380.
var cdiDevicesResolve = Check{Meta: spec.Meta{
	ID:       "sanity/cdi-devices-resolve",
	Checks:   "After a successful prepare call, the CDI library resolves each CDI device of the answer in valid files.",
	Requires: []spec.RequirementID{"kep-4381/cdi-files-exist"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#1380", Run: func(t *T) {
	answer := t.Prepare(t.One(t.Devices(1)[0]), "a claim")
	t.expect(t.CDI().unresolved(ids(answer)), "prepare said success")
	if len(ids(answer)) == 0 {
		t.NotApplicablef("the driver answers no CDI devices")
	}
}}
