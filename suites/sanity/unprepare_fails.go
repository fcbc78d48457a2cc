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
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// unprepareFails is about: KEP-4381, NodeUnprepareResources.
var unprepareFails = Check{Meta: spec.Meta{
	ID:       "sanity/unprepare-fails",
	Checks:   "Unprepare fails while a claim's CDI spec cannot be removed, and succeeds when it can.",
	Requires: []spec.RequirementID{"kep-4381/error-is-not-ok", "kep-4381/unprepare-undoes-prepare"},
}, Source: "KEP-4381, NodeUnprepareResources", Run: func(t *T) {
	before := t.CDI()
	claim := t.One(t.Devices(1)[0])
	t.Prepare(claim, "a claim")
	made := t.CDI().made(before, claim)
	if len(made) == 0 {
		t.NotApplicablef("the driver writes no CDI file of its own for a claim")
	}
	why, left := t.unprepareStuck(claim, made)
	if why == "" && len(left) > 0 {
		t.Failf("unprepare says success, and %s could not be removed", strings.Join(left, ", "))
	}
	t.Unprepare(claim, "again, when the CDI spec can be removed")
	t.expect(t.CDI().left(before, claim, nil), "after unprepare")
	t.Notef("%s", why)
}}

// unprepareStuck unprepares a claim while its files cannot be removed. It returns the driver's error
// message, and the files still there.
func (t *T) unprepareStuck(claim *resourceapi.ResourceClaim, files []string) (why string, left []string) {
	release := t.remover(files)
	defer func() { _ = release() }()
	for _, file := range files {
		t.need(t.RemoveSpec(t.ctx, file), "remove a CDI spec")
		t.need(t.ObstructSpec(t.ctx, file), "keep a CDI file from being removed")
	}
	if err := t.unprepareOne(t.ctx, claim); err != nil {
		t.answered(err, "unprepare a claim whose CDI spec cannot be removed")
		why = err.Error()
	}
	for _, file := range files {
		// An obstacle cannot be put in place of another one.
		if t.ObstructSpec(t.ctx, file) != nil {
			left = append(left, file)
		}
	}
	t.need(release(), "let a CDI file be removed again")
	return why, left
}
