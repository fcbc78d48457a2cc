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

// versionsAgree is about: a kubelet replaced by one of another release.
var versionsAgree = Check{Meta: spec.Meta{
	ID:       "sanity/versions-agree",
	Checks:   "A claim prepared in one version of the plugin API has the same devices in the other, and can be unprepared there.",
	Requires: []spec.RequirementID{"kep-4381/prepare-idempotent"},
}, Source: "a kubelet replaced by one of another release", Once: true, Run: func(t *T) {
	if len(t.versions) < 2 {
		t.NotApplicablef("needs two versions of the plugin API, the driver serves %s", t.versions[0])
	}
	device := t.Devices(1)[0]
	before := t.CDI()
	for _, order := range [][]spec.GRPCVersion{{spec.GRPCv1, spec.GRPCv1beta1}, {spec.GRPCv1beta1, spec.GRPCv1}} {
		claim := t.One(device)
		t.version = order[0]
		first := t.Prepare(claim, "with "+string(order[0]))
		t.version = order[1]
		second := t.Prepare(claim, "with "+string(order[1]))
		// v1beta1 answers have no shares.
		t.expect(differences(first, second), string(order[1])+" after "+string(order[0]))
		t.Unprepare(claim, "with "+string(order[1]))
		t.expect(t.CDI().left(before, claim, ids(first)), "after unprepare with "+string(order[1]))
	}
}}
