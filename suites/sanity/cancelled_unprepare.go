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
	"context"
	"fmt"

	"github.com/dra-conformance/dratest/framework/spec"
)

// cancelledUnprepare is about: kubeletplugin.DRAPlugin.
var cancelledUnprepare = Check{Meta: spec.Meta{
	ID:       "sanity/cancelled-unprepare",
	Checks:   "A cancelled unprepare call can be repeated with success, and nothing is left afterwards.",
	Requires: []spec.RequirementID{"kep-4381/unprepare-idempotent", "kep-4381/unprepare-undoes-prepare"},
}, Source: "kubeletplugin.DRAPlugin", Run: func(t *T) {
	device := t.Devices(1)[0]
	before := t.CDI()
	for _, patience := range patiences() {
		when := fmt.Sprintf("after an unprepare canceled after %s", patience)
		claim := t.One(device)
		answer := t.Prepare(claim, "a claim")
		t.giveUp(patience, func(ctx context.Context) { _ = t.unprepareOne(ctx, claim) })
		t.Unprepare(claim, when)
		t.expect(t.CDI().left(before, claim, ids(answer)), "unprepare "+when)
		t.Prepare(claim, "again, "+when)
		t.Unprepare(claim, "again, "+when)
		t.Delete(claim)
	}
}}
