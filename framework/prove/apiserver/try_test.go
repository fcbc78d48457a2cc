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

package apiserver

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Cases needing a kubelet are slow: the mutant of a quota uses one only because there is no other.
func TestCasesOnNodesNoticeWhatNoOtherCould(t *testing.T) {
	onNodes := spec.Meta{ID: "on-nodes", Requires: []spec.RequirementID{"both", "nodes"}}
	simulated := spec.Meta{ID: "simulated", Requires: []spec.RequirementID{"both"}, Needs: spec.Needs{NoKubelet: true}}
	alone := spec.Meta{ID: "alone", Requires: []spec.RequirementID{"alone"}, Needs: spec.Needs{NoNode: true}}
	metas := []spec.Meta{onNodes, simulated, alone}
	for _, row := range []struct {
		name string
		of   string
		id   spec.RequirementID
		want []string
	}{
		{"another case does", "", "both", []string{"simulated"}},
		{"no other does", "", "nodes", []string{"on-nodes"}},
		{"of the API alone", "", "alone", []string{"alone"}},
		{"kubelets are not behind the proxy", spec.Scheduler, "nodes", nil},
		{"nor is the scheduler for the API alone", spec.Scheduler, "alone", nil},
	} {
		m := Mutant{Defect: spec.Defect{Requires: []spec.RequirementID{row.id}}, Of: row.of}
		if diff := cmp.Diff(row.want, m.Trial(metas).Must); diff != "" {
			t.Errorf("%s: %s", row.name, diff)
		}
	}
}
