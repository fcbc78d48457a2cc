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
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
)

// cdiNamesNotReused is about: kubeletplugin.DRAPlugin.
var cdiNamesNotReused = Check{Meta: spec.Meta{
	ID:       "sanity/cdi-names-not-reused",
	Checks:   "A CDI device used by two claims, at the same time or in sequence, has the same content for both.",
	Requires: []spec.RequirementID{"kubeletplugin/cdi-names-not-reused"},
}, Source: "kubeletplugin.DRAPlugin", Run: func(t *T) {
	devices := t.Devices(2)
	first := t.One(devices[0])
	answer := t.Prepare(first, "the first claim")
	before := t.CDI()
	second := t.One(devices[1])
	t.Prepare(second, "a claim for another device")
	t.expect(t.CDI().changed(before, ids(answer)), "the first claim, after another one was prepared")
	t.Unprepare(first, "the first claim")
	t.Delete(first)
	third := t.One(devices[0])
	t.expect(t.CDI().changed(before, reused(answer, t.Prepare(third, "a later claim for the first device"))), "a name of the first claim, in a later one for the same device")
}}

// reused returns the CDI devices in both answers.
func reused(first, second *Answer) []string {
	before := ids(first)
	return slices.DeleteFunc(ids(second), func(id string) bool { return !slices.Contains(before, id) })
}
