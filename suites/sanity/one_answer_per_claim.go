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

// oneAnswerPerClaim is about: kubeletplugin.DRAPlugin.
var oneAnswerPerClaim = Check{Meta: spec.Meta{
	ID:       "sanity/one-answer-per-claim",
	Checks:   "The driver answers exactly once for each claim of a call, by its UID.",
	Requires: []spec.RequirementID{"kubeletplugin/one-result-per-claim", "plugin-api/answers-by-uid", "plugin-api/all-claims-answered"},
}, Source: "kubeletplugin.DRAPlugin", Run: func(t *T) {
	devices := t.Devices(2)
	first, second := t.One(devices[0]), t.One(devices[1])
	prepared, err := t.prepare(t.ctx, first, second)
	if err != nil {
		t.Failf("prepare two claims: %v", err)
	}
	t.expect(unanswered(prepared, first, second), "prepare two claims")
	unprepared, err := t.unprepare(t.ctx, first, second)
	if err != nil {
		t.Failf("unprepare two claims: %v", err)
	}
	t.expect(unanswered(unprepared, first, second), "unprepare two claims")
	if none, err := t.prepare(t.ctx); err != nil || len(none) > 0 {
		t.Failf("prepare no claims: got %d answers, error %v", len(none), err)
	}
}}
