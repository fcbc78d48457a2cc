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
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
)

// cancelledPrepare is about: kubernetes-sigs/dra-driver-nvidia-gpu#1162.
var cancelledPrepare = Check{Meta: spec.Meta{
	ID:       "sanity/cancelled-prepare",
	Checks:   "A cancelled prepare call can be repeated with success, and nothing is left after unprepare.",
	Requires: []spec.RequirementID{"kep-4381/prepare-idempotent", "kep-4381/unprepare-undoes-prepare"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#1162", Run: func(t *T) {
	device := t.Devices(1)[0]
	before := t.CDI()
	for _, patience := range patiences() {
		when := fmt.Sprintf("after a prepare canceled after %s", patience)
		again := t.One(device)
		t.giveUp(patience, func(ctx context.Context) { _, _ = t.prepareOne(ctx, again) })
		answer := t.Prepare(again, when)
		t.expect(t.CDI().unresolved(ids(answer)), "prepare said success "+when)
		t.Unprepare(again, when)
		t.Delete(again)
		ended := t.One(device)
		t.giveUp(patience, func(ctx context.Context) { _, _ = t.prepareOne(ctx, ended) })
		t.Unprepare(ended, when)
		t.settle()
		t.expect(t.CDI().left(before, ended, nil), "unprepare "+when)
		t.Delete(ended)
	}
}}

// patiences are the delays before cancelling calls: before, while and after the driver handles
// them.
func patiences() []time.Duration {
	return []time.Duration{0, 2 * time.Millisecond, 10 * time.Millisecond, 50 * time.Millisecond}
}

// settling is the time until unfinished work of the driver has an effect.
const settling = 300 * time.Millisecond

// giveUp cancels a call.
func (t *T) giveUp(patience time.Duration, call func(context.Context)) {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	call(ctx)
}

func (t *T) settle() {
	timer := time.NewTimer(settling)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.ctx.Done():
		t.Blockedf("the check has not come to its end, %v", context.Cause(t.ctx))
	}
}
