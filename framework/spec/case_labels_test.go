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

package spec_test

import (
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestLabels(t *testing.T) {
	requires := []spec.RequirementID{"kep-5007/b", "kep-4381/a", "kep-4381/c", "resource-v1/d"}
	issue := &spec.KnownIssue{Issue: "kubernetes#1"}
	for name, row := range map[string]struct {
		meta spec.Meta
		want []string
	}{
		"plain":               {spec.Meta{ID: "core/a"}, []string{"core", "Conformance"}},
		"enhancements":        {spec.Meta{ID: "core/a", Requires: requires}, []string{"core", "Conformance", "KEP-4381", "KEP-5007"}},
		"feature":             {spec.Meta{ID: "a/a", Needs: spec.Needs{Features: []spec.Feature{spec.DeviceTaints}}}, []string{"a", "Conformance", "Feature:DRADeviceTaints"}},
		"feature that is off": {spec.Meta{ID: "a/a", Needs: spec.Needs{Features: []spec.Feature{spec.ListAttributes}}}, []string{"a", "Feature:DRAListTypeAttributes"}},
		"unknown feature":     {spec.Meta{ID: "a/a", Needs: spec.Needs{Features: []spec.Feature{"New"}}}, []string{"a", "Feature:New"}},
		"known issue":         {spec.Meta{ID: "a/a", KnownIssue: issue}, []string{"a"}},
		"another API":         {spec.Meta{ID: "a/a", Needs: spec.Needs{APIs: []string{"v1beta1"}}}, []string{"a"}},
		"has a companion":     {spec.Meta{ID: "a/a", Needs: spec.Needs{NoKubelet: true, Companions: []spec.Companion{"whatIf"}}}, []string{"a"}},
		"slow and serial":     {spec.Meta{ID: "a/a", WaitsFor: "x", SerialBecause: "y"}, []string{"a", "Conformance", "Slow", "Serial"}},
		"disruptive":          {spec.Meta{ID: "a/a", Needs: spec.Needs{Restarts: spec.Worker}}, []string{"a", "Disruptive"}},
		"restarted component": {spec.Meta{ID: "a/a", Needs: spec.Needs{Disruption: true}}, []string{"a", "Disruptive"}},
	} {
		if got := row.meta.Labels(); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}
