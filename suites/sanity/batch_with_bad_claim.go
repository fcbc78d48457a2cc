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

// batchWithBadClaim is about: kubeletplugin.DRAPlugin.
var batchWithBadClaim = Check{Meta: spec.Meta{
	ID:       "sanity/batch-with-bad-claim",
	Checks:   "Of three claims in one call the good ones are prepared, and the bad one has an error with a message.",
	Requires: []spec.RequirementID{"kubeletplugin/one-result-per-claim"},
}, Source: "kubeletplugin.DRAPlugin", Run: func(t *T) {
	refused := t.Refused()
	devices := t.Devices(3)
	first, last := t.One(devices[0]), t.One(devices[2])
	bad := t.One(devices[1], Config{Requests: []string{"req"}, Parameters: refused})
	answers, err := t.prepare(t.ctx, first, bad, last)
	if err != nil {
		t.Failf("the whole call fails for one bad claim: %v", err)
	}
	t.expect(unanswered(answers, first, bad, last), "prepare a bad claim with two good ones")
	for _, claim := range []*resourceapi.ResourceClaim{first, last} {
		if text := answers[string(claim.UID)].GetError(); text != "" {
			t.Failf("a good claim is not prepared because of a bad one: %s", text)
		}
	}
	text := answers[string(bad.UID)].GetError()
	if text == "" {
		t.Failf("the bad claim has no error, while it had one alone")
	}
	t.Notef("the bad claim: %s", text)
}}
