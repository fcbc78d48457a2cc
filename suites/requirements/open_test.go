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

package requirements

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestNumberOfOpenRequirementsOnlyGoesDown(t *testing.T) {
	ids := []spec.RequirementID{"kep-1/a", "kep-1/b"}
	for most, want := range map[int]string{1: "At most 1 ", 2: "At most 2 ", 9: "At most 2 "} {
		if got := string(RenderOpen(ids, most)); !strings.Contains(got, want) {
			t.Errorf("at most %d before: got %q, want %q", most, got, want)
		}
	}
	var none []spec.RequirementID
	if err := yaml.UnmarshalStrict(RenderOpen(nil, 3), &none); err != nil || len(none) != 0 {
		t.Errorf("nothing open: got %v, %v", none, err)
	}
}

func TestOpenRequirementsNeedACase(t *testing.T) {
	open, most, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	if len(open) > most || !slices.IsSorted(open) {
		t.Errorf("%d are open, at most %d may be, sorted: %v", len(open), most, slices.IsSorted(open))
	}
	all, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	needed := map[spec.RequirementID]bool{}
	for _, r := range all {
		needed[r.ID] = r.NeedsCase()
	}
	for _, id := range open {
		if !needed[id] {
			t.Errorf("%s is open, but does not exist or needs no case", id)
		}
	}
}
