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

// sameClaimName is about: dra/v1, Claim.
var sameClaimName = Check{Meta: spec.Meta{
	ID:       "sanity/same-claim-name",
	Checks:   "A claim is another one than a deleted claim of the same name: it gets its own device, and keeps it.",
	Requires: []spec.RequirementID{"plugin-api/answers-by-uid", "kep-4381/unprepare-undoes-prepare"},
}, Source: "k8s.io/kubelet dra/v1, Claim", Run: func(t *T) {
	devices := t.Devices(2)
	old := t.One(devices[0])
	t.Prepare(old, "a claim")
	t.Delete(old)
	fresh := t.Again(old, devices[1])
	answer, why := t.Try(fresh, "a claim with the name of a deleted one that is still prepared")
	if why != "" {
		// The kubelet also unprepares the old one first.
		t.Unprepare(old, "the deleted claim")
		answer = t.Prepare(fresh, "a claim with the name of an unprepared one")
	}
	t.named(fresh, answer, "prepare a claim with the name of a deleted one")
	before := t.CDI()
	t.expect(before.unresolved(ids(answer)), "prepare a claim with the name of a deleted one")
	t.Unprepare(old, "the deleted claim")
	t.expect(t.CDI().changed(before, ids(answer)), "the claim with the name of a deleted one, after unprepare of that")
}}
