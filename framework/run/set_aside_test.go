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

package run

import (
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Two cases with a companion and three nodes kept a node of three from being set aside.
func TestWithoutLast(t *testing.T) {
	needs := func(nodes int, companions ...spec.Companion) spec.Entry {
		return spec.Entry{Meta: spec.Meta{ID: "a/a", Needs: spec.Needs{Nodes: nodes, Companions: companions}}}
	}
	skipped := needs(3)
	skipped.Skip = &spec.Skip{}
	three := []string{"a", "b", "c"}
	for name, tc := range map[string]struct {
		entries []spec.Entry
		workers []string
		node    string
		runs    int
	}{
		"cases with two nodes":         {[]spec.Entry{needs(2), skipped}, three, "c", 1},
		"too few workers":              {[]spec.Entry{needs(1)}, three[:2], "", 1},
		"a case with all nodes":        {[]spec.Entry{needs(3)}, three, "", 1},
		"a companion with all nodes":   {[]spec.Entry{needs(2), needs(3, "classic")}, three, "c", 1},
		"a companion with fewer nodes": {[]spec.Entry{needs(2, "classic")}, three, "c", 1},
	} {
		p := spec.Plan{Entries: tc.entries}
		if node := withoutLast(p, tc.workers); node != tc.node || p.Runs() != tc.runs {
			t.Errorf("%s: got %q, %d cases run", name, node, p.Runs())
		}
	}
}
