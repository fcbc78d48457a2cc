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

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/oracle"
	"github.com/dra-conformance/dratest/framework/spec"
)

// knownIssue excuses findings caused by its pattern: without the pattern, the promise is kept.
type knownIssue struct {
	spec.KnownIssue

	// without removes the pattern from a problem, and returns false if there is none.
	without func(*problem.Problem) bool
	// says are parts of a scheduler's message. They excuse a pending pod with this message, in place of a
	// pattern.
	says []string
}

func knownIssues() []knownIssue {
	return []knownIssue{
		{
			spec.KnownIssue{
				Issue: "kubernetes#142202", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "Names of capacities are compared as they are written.",
			},
			(*problem.Problem).LocalCapacities, nil,
		},
		{
			spec.KnownIssue{
				Issue: "staging/src/k8s.io/dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "Devices are allocated from old slices that are complete for a node (docs/findings/old-pool-generation.md).",
			},
			(*problem.Problem).NewestSlices, nil,
		},
		{
			spec.KnownIssue{
				Issue: "staging/src/k8s.io/dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "A device with admin access is not available to later claims of the pod, and admin access needs free capacity and counters (docs/findings/admin-access-blocks.md).",
			},
			problem.Twins(func(claim int, request string) string { return fmt.Sprintf("-twin-%d-%s", claim, request) }).Give, nil,
		},
		{
			spec.KnownIssue{
				Issue: "kubernetes#141829", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "A request for all devices with an incomplete or invalid pool on a node ends the attempt, also for other nodes and alternatives.",
			},
			nil, []string{"asks for all devices, but resource pool"},
		},
		{
			spec.KnownIssue{
				Issue: "staging/src/k8s.io/dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "A request for all devices that violates a constraint ends the attempt (docs/findings/all-devices-constraint.md).",
			},
			nil, []string{"because a claim constraint would not be satisfied"},
		},
		{
			spec.KnownIssue{
				Issue: "staging/src/k8s.io/dynamic-resource-allocation/structured/allocator.go", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "The search for devices takes exponential time, and times out.",
			},
			nil, []string{"timed out trying to allocate devices"},
		},
		{
			spec.KnownIssue{
				Issue: "staging/src/k8s.io/dynamic-resource-allocation/structured/internal/incubating/constraint.go", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "Versions are compared as text, with their build metadata.",
			},
			(*problem.Problem).PlainVersions, nil,
		},
		{
			spec.KnownIssue{
				Issue: "kubernetes#140798", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "A device is allocated although it has shares from before its slice changed.",
			},
			(*problem.Problem).WholeDevices, nil,
		},
		{
			spec.KnownIssue{
				Issue: "pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "A pod with claims is not bound to a node whose device plugin serves its extended resources (docs/findings/device-plugin-beside-claim.md).",
			},
			(*problem.Problem).WithoutPlugins, nil,
		},
	}
}

// excused returns the known issues with a pattern explaining a finding, "" for none: one of them, or all of them
// together.
func (e *exploring) excused(ctx context.Context, s *slot, f Finding, t *trial) string {
	var names []string
	all := bare(t.problem)
	for i, known := range knownIssues() {
		p := bare(t.problem)
		if known.without == nil || !e.affected(known) || !known.without(p) {
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

// said drops the violations excused by the scheduler's message for their pod, and returns the known issues.
func (e *exploring) said(f *Finding, t *trial) []string {
	names := sets.New[string]()
	f.Violations = slices.DeleteFunc(slices.Clone(f.Violations), func(v oracle.Violation) bool {
		reason := t.reasons[strings.TrimPrefix(v.Object, "pod "+t.namespace.Name+"/")]
		for _, known := range knownIssues() {
			if e.affected(known) && slices.ContainsFunc(known.says, func(text string) bool { return strings.Contains(reason, text) }) {
				names.Insert(known.Issue)
				return true
			}
		}
		return false
	})
	return sets.List(names)
}

// affected reports whether the target has the issue, reviewed for its version.
func (e *exploring) affected(known knownIssue) bool {
	excuse := plan.ExcuseFor(known.KnownIssue, e.bed.Target, nil)
	return excuse.Not == "" && excuse.Unreviewed == ""
}

// keeps reports whether all promises of a finding are kept in another problem, or broken as the scheduler's messages of
// known issues explain.
func (e *exploring) keeps(ctx context.Context, s *slot, f Finding, of subject, id string) bool {
	verdict, tried, err := e.attempt(ctx, s, of, id)
	if err != nil {
		return false
	}
	left := Finding{Violations: verdict.Violations}
	e.said(&left, tried)
	return len(common(f.Violations, left.Violations)) == 0
}
