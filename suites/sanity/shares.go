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

// shares is about: kubernetes/kubernetes#134519. Answers must not mix up share IDs.
var shares = Check{Meta: spec.Meta{
	ID:       "sanity/shares",
	Checks:   "Claims sharing a device have their own CDI devices, and unpreparing one does not affect the other.",
	Requires: []spec.RequirementID{"kep-4381/cdi-files-exist", "plugin-api/share-in-answer"},
}, Source: "kubernetes/kubernetes#134519", Run: func(t *T) {
	device := t.SharedDevice()
	first, second := t.One(device), t.One(device)
	one := t.Prepare(first, "the first claim of a shared device")
	before := t.CDI()
	two := t.Prepare(second, "the second claim of a shared device")
	t.expect(t.CDI().changed(before, ids(one)), "the first claim, after the second was prepared")
	t.expect(t.CDI().unresolved(ids(two)), "the second claim")
	t.named(first, one, "the first claim of a shared device")
	t.named(second, two, "the second claim of a shared device")
	t.Unprepare(second, "the second claim")
	t.expect(t.CDI().changed(before, ids(one)), "the first claim, after the second was unprepared")
}}
