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
	"errors"
	"path/filepath"
	"strings"
	"sync"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// cdiWriteFails is about: kubernetes-sigs/dra-driver-cpu#169.
var cdiWriteFails = Check{Meta: spec.Meta{
	ID:       "sanity/cdi-write-fails",
	Checks:   "Prepare fails while a claim's CDI spec cannot be written, and the spec exists after a later success.",
	Requires: []spec.RequirementID{"kep-4381/cdi-files-exist"},
}, Source: "kubernetes-sigs/dra-driver-cpu#169", Run: func(t *T) {
	device := t.Devices(1)[0]
	before := t.CDI()
	first := t.One(device)
	t.Prepare(first, "a claim")
	made := t.CDI().made(before, first)
	t.Unprepare(first, "the claim")
	t.Delete(first)
	second := t.One(device)
	places := predicted(made, first, second)
	if len(places) == 0 {
		t.NotApplicablef("the names of CDI files do not contain the claim, so the next file is unknown")
	}
	answer, why := t.obstructed(places, second)
	if why == "" && len(ids(answer)) > 0 {
		t.expect(t.CDI().unresolved(ids(answer)), "prepare said success while "+strings.Join(places, ", ")+" could not be written")
	}
	answer = t.Prepare(second, "again, when the CDI spec can be written")
	t.expect(t.CDI().unresolved(ids(answer)), "prepare said success, after the CDI spec could not be written at first")
}}

// predicted derives the second claim's files from the first one's.
func predicted(made []string, first, second *resourceapi.ResourceClaim) []string {
	var places []string
	for _, path := range made {
		if name := filepath.Base(path); strings.Contains(name, string(first.UID)) {
			places = append(places, filepath.Join(filepath.Dir(path), strings.ReplaceAll(name, string(first.UID), string(second.UID))))
		}
	}
	return places
}

// obstructed prepares a claim while its files cannot be written.
func (t *T) obstructed(places []string, claim *resourceapi.ResourceClaim) (answer *Answer, why string) {
	release := t.remover(places)
	defer func() { _ = release() }()
	for _, place := range places {
		t.need(t.ObstructSpec(t.ctx, place), "keep a CDI file from being written")
	}
	answer, why = t.Try(claim, "a claim with an unwritable CDI spec")
	t.need(release(), "let a CDI file be written again")
	return answer, why
}

// remover returns a function that removes CDI files, or what obstructs them, once, even after the
// check's timeout.
func (t *T) remover(paths []string) func() error {
	return sync.OnceValue(func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), closing)
		defer cancel()
		var errs []error
		for _, path := range paths {
			errs = append(errs, t.RemoveSpec(ctx, path))
		}
		return errors.Join(errs...)
	})
}
