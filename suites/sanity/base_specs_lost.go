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
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
)

// baseSpecsLost is about: kubernetes-sigs/dra-driver-nvidia-gpu#1144.
var baseSpecsLost = Check{Meta: spec.Meta{
	ID:       "sanity/base-specs-lost",
	Checks:   "If CDI files shared by claims are deleted, prepare recreates them or returns an error.",
	Requires: []spec.RequirementID{"kep-4381/cdi-files-exist"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#1144", Once: true, Run: func(t *T) {
	if t.Restart == nil {
		t.NotApplicablef("removes files used by other claims, too, until the driver has been restarted: set --restart")
	}
	device := t.Devices(1)[0]
	first := t.One(device)
	answer := t.Prepare(first, "a claim")
	t.Unprepare(first, "the claim")
	t.Delete(first)
	// A starting driver recreates its files.
	defer t.restart(func() {})
	state := t.CDI()
	for path, content := range state.files {
		if ofKinds(content, ids(answer)) {
			t.need(t.RemoveSpec(t.ctx, path), "remove a CDI file")
		}
	}
	answer, why := t.Try(t.One(device), "a claim after CDI files were removed")
	if why != "" {
		t.Notef("%s", why)
		return
	}
	t.expect(t.CDI().unresolved(ids(answer)), "prepare said success after CDI files were removed")
}}

// ofKinds reports whether a CDI file has devices of these devices' kinds.
func ofKinds(content []byte, devices []string) bool {
	var file struct {
		Kind string `json:"kind"`
	}
	// An unreadable file has none.
	return yaml.Unmarshal(content, &file) == nil && file.Kind != "" &&
		slices.ContainsFunc(devices, func(id string) bool { return strings.HasPrefix(id, file.Kind+"=") })
}
