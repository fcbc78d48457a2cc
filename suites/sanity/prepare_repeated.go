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
	"fmt"

	"github.com/dra-conformance/dratest/framework/spec"
)

// prepareRepeated is about: kubernetes-sigs/dra-driver-nvidia-gpu#729, kubernetes-sigs/dra-driver-cpu#175, kubernetes-sigs/dranet#296.
var prepareRepeated = Check{Meta: spec.Meta{
	ID:       "sanity/prepare-repeated",
	Checks:   "A claim prepared ten times gets the same answer and the same CDI devices each time.",
	Requires: []spec.RequirementID{"kep-4381/prepare-idempotent"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#729, kubernetes-sigs/dra-driver-cpu#175, kubernetes-sigs/dranet#296", Run: func(t *T) {
	claim := t.One(t.Devices(1)[0])
	first := t.Prepare(claim, "a claim")
	before := t.CDI()
	for i := 2; i <= times; i++ {
		when := fmt.Sprintf("prepare for the %d. time", i)
		t.expect(differences(first, t.Prepare(claim, when)), when)
		t.expect(t.CDI().changed(before, ids(first)), when)
	}
	t.Unprepare(claim, "after ten times prepare")
}}

// times is the number of repeated calls, as in csi-sanity.
const times = 10
