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

package explore

import (
	"context"
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/spec"
)

// knownIssue excuses findings caused by its pattern: without the pattern, the promise is kept.
type knownIssue struct {
	spec.KnownIssue

	// without removes the pattern from a problem, and returns false if there is none.
	without func(*problem.Problem) bool
}

func knownIssues() []knownIssue {
	return []knownIssue{{
		spec.KnownIssue{
			Issue: "kubernetes#142202", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
			Does: "Names of capacities are compared as they are written.",
		},
		localCapacities,
	}}
}

// localCapacities removes the driver's domain from capacity names.
func localCapacities(p *problem.Problem) bool {
	found := false
	for i := range p.Slices {
		spec := &p.Slices[i].Spec
		for d := range spec.Devices {
			capacity := spec.Devices[d].Capacity
			for name, c := range capacity {
				if local, ok := strings.CutPrefix(string(name), spec.Driver+"/"); ok {
					delete(capacity, name)
					capacity[resourceapi.QualifiedName(local)] = c
					found = true
				}
			}
		}
	}
	return found
}

// excused returns the known issue explaining a finding, "" for none.
func (e *exploring) excused(ctx context.Context, s *slot, f Finding, t *trial) string {
	for i, known := range knownIssues() {
		p := bare(t.problem)
		if plan.ExcuseFor(known.KnownIssue, e.bed.Target, nil).Not != "" || !known.without(p) {
			continue
		}
		verdict, _, err := e.attempt(ctx, s, renamed(p, t.id), fmt.Sprintf("x%dk%dx", f.Number, i))
		if err == nil && len(common(f.Violations, verdict.Violations)) == 0 {
			return known.Issue
		}
	}
	return ""
}
