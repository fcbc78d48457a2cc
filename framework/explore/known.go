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
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/oracle"
	"github.com/dra-conformance/dratest/framework/spec"
)

// knownIssue excuses findings caused by its pattern: without the pattern, the promise is kept.
type knownIssue struct {
	spec.KnownIssue

	// breaks lists the promises that the issue may break; empty for any.
	breaks []string
	// without removes the pattern from a problem, and returns false if there is none.
	without func(*problem.Problem) bool
}

// waits lists the promises broken if a pod stays pending.
func waits() []string {
	return []string{"kep-4381/node-fits-only-if-allocatable", "kep-4381/deallocates-if-stuck"}
}

func knownIssues() []knownIssue {
	return []knownIssue{
		{
			spec.KnownIssue{
				Issue: "kubernetes#142202", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "Names of capacities are compared as they are written.",
			},
			nil, localCapacities,
		},
		{
			spec.KnownIssue{
				Issue: "staging/src/k8s.io/dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "Devices are allocated from old slices that are complete for a node (docs/findings/old-pool-generation.md).",
			},
			nil, (*problem.Problem).NewestSlices,
		},
		{
			spec.KnownIssue{
				Issue: "staging/src/k8s.io/dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "A device with admin access is not available to later claims of the pod, and admin access needs free capacity and counters (docs/findings/admin-access-blocks.md).",
			},
			append(waits(), "kep-4816/alternatives-in-order"), ordinaryRequests,
		},
		{
			spec.KnownIssue{
				Issue: "kubernetes#141829", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "A request for all devices that cannot be satisfied on a node ends the attempt, also for other nodes and alternatives.",
			},
			waits(), oneOfAll,
		},
		{
			spec.KnownIssue{
				Issue: "staging/src/k8s.io/dynamic-resource-allocation/structured/internal/incubating/constraint.go", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "Versions are compared as text, with their build metadata.",
			},
			nil, (*problem.Problem).PlainVersions,
		},
		{
			spec.KnownIssue{
				Issue: "kubernetes#140798", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "A device is allocated although it has shares from before its slice changed.",
			},
			nil, (*problem.Problem).WholeDevices,
		},
	}
}

// excused returns the known issues explaining a finding, "" for none: one of them, or all of them
// together.
func (e *exploring) excused(ctx context.Context, s *slot, f Finding, t *trial) string {
	var names []string
	all := bare(t.problem)
	for i, known := range knownIssues() {
		p := bare(t.problem)
		if plan.ExcuseFor(known.KnownIssue, e.bed.Target, nil).Not != "" || !known.mayBreak(f.Violations) || !known.without(p) || len(p.Pods) == 0 {
			continue
		}
		if e.keeps(ctx, s, f, renamed(p, t.id), fmt.Sprintf("x%dk%dx", f.Number, i)) {
			return known.Issue
		}
		known.without(all)
		names = append(names, known.Issue)
	}
	if len(names) > 1 && e.keeps(ctx, s, f, renamed(all, t.id), fmt.Sprintf("x%dkx", f.Number)) {
		return strings.Join(names, ", ")
	}
	return ""
}

// mayBreak reports whether the issue may break all promises of these violations.
func (k *knownIssue) mayBreak(violations []oracle.Violation) bool {
	return len(k.breaks) == 0 || !slices.ContainsFunc(violations, func(v oracle.Violation) bool { return !slices.Contains(k.breaks, v.Promise) })
}

// keeps reports whether all promises of a finding are kept in another problem.
func (e *exploring) keeps(ctx context.Context, s *slot, f Finding, of subject, id string) bool {
	verdict, _, err := e.attempt(ctx, s, of, id)
	return err == nil && len(common(f.Violations, verdict.Violations)) == 0
}
