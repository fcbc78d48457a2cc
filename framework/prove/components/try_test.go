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

package components

import (
	"testing"

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/suites"
)

func TestEachMutantHasCasesThatMayNotice(t *testing.T) {
	metas := run.Metas(suites.All())
	for _, m := range load(t) {
		if trial := m.Trial(metas); len(trial.Must) == 0 {
			t.Errorf("no case claims what mutant %s breaks: %v", m.ID, m.Requires)
		}
	}
}

func TestCasesThatRestartComponentsSayNothingOfACrash(t *testing.T) {
	metas := []spec.Meta{{ID: "quiet"}, {ID: "kubelet", Needs: spec.Needs{Disruption: true}}, {ID: "node", Needs: spec.Needs{Restarts: spec.Worker}}}
	for name, row := range map[string]struct {
		c    schema.Case
		want bool
	}{
		"restarts nothing":   {schema.Case{ID: "quiet", Status: spec.Failed}, false},
		"restarts a kubelet": {schema.Case{ID: "kubelet", Status: spec.Failed}, true},
		"restarts a node":    {schema.Case{ID: "node", Status: spec.Passed}, true},
		"cannot run":         {schema.Case{ID: "node", Status: spec.NotApplicable}, false},
	} {
		if got := restarting(metas, schema.Report{Cases: []schema.Case{row.c}}); got != row.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
