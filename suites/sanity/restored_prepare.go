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
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// restoredPrepare is about: kubernetes/kubernetes#141433, kubernetes-sigs/dra-example-driver#259,
// ROCm/k8s-gpu-dra-driver#75.
var restoredPrepare = Check{Meta: spec.Meta{
	ID:       "sanity/restored-prepare",
	Checks:   "After a successful prepare call for a claim without CDI spec, the spec exists again.",
	Requires: []spec.RequirementID{"kep-4381/cdi-files-exist"},
}, Source: "kubernetes/kubernetes#141433, kubernetes-sigs/dra-example-driver#259, ROCm/k8s-gpu-dra-driver#75", Run: func(t *T) {
	before := t.CDI()
	claim := t.One(t.Devices(1)[0])
	answer := t.Prepare(claim, "a claim")
	good := t.CDI()
	t.loseSpecs(before, claim)
	t.Prepare(claim, "again, after its CDI spec was removed")
	t.expect(t.CDI().gone(good, ids(answer)), "prepare said success after the CDI spec was removed")
}}

// loseSpecs deletes the CDI files of a claim, as a reboot does.
func (t *T) loseSpecs(before cdiState, claim *resourceapi.ResourceClaim) {
	made := t.CDI().made(before, claim)
	if len(made) == 0 {
		t.NotApplicablef("the driver writes no CDI file of its own for a claim")
	}
	for _, path := range made {
		t.need(t.RemoveSpec(t.ctx, path), "remove a CDI spec")
	}
}
