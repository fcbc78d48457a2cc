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

	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/oracle"
	"github.com/dra-conformance/dratest/framework/spec"
)

// knownIssue excuses findings caused by its pattern: without the pattern, the promise is kept.
type knownIssue struct {
	*spec.KnownIssue

	// without removes the pattern from a problem, and returns false if there is none.
	without func(*problem.Problem) bool
	// says are parts of a scheduler's message. They excuse a pending pod with this message, in place of a
	// pattern.
	says []string
}

func knownIssues() []knownIssue {
	return []knownIssue{
		{issues.Known("kubernetes#142202"), (*problem.Problem).LocalCapacities, nil},
		{issues.Known("pool-moves"), (*problem.Problem).NewestSlices, nil},
		{issues.Known("names-elsewhere"), uniqueElsewhere, nil},
		{issues.Known("admin-access-first"), problem.Twins(func(claim int, request string) string { return fmt.Sprintf("-twin-%d-%s", claim, request) }).Give, nil},
		{issues.Known("kubernetes#141829"), nil, []string{"asks for all devices, but resource pool"}},
		{issues.Known("all-constrained"), nil, []string{"because a claim constraint would not be satisfied"}},
		{issues.Known("search-timeout"), nil, []string{"timed out trying to allocate devices"}},
		{issues.Known("version-builds"), (*problem.Problem).PlainVersions, nil},
		{issues.Known("kubernetes#140798"), (*problem.Problem).WholeDevices, nil},
		{issues.Known("plugin-beside-claim"), (*problem.Problem).WithoutPlugins, nil},
	}
}

// uniqueElsewhere renames devices with the name of another device in their pool, unless a node sees the slices of both,
// directly or through a third device of that name. It reports whether there were any.
func uniqueElsewhere(p *problem.Problem) bool {
	used := sets.New[string]()
	for i := range p.Slices {
		for d := range p.Slices[i].Spec.Devices {
			used.Insert(p.Slices[i].Spec.Devices[d].Name)
		}
	}
	together := func(a, b problem.Published) bool {
		return a.ResourceSlice == b.ResourceSlice || slices.ContainsFunc(p.Nodes, func(n problem.Node) bool {
			return oracle.MayReach(a.ResourceSlice, &n) && oracle.MayReach(b.ResourceSlice, &n)
		})
	}
	found := false
	for _, devices := range p.Namesakes() {
		groups := grouped(devices, together)
		for _, group := range groups[1:] {
			name := group[0].Device.Name
			for n := 2; used.Has(name); n++ {
				name = fmt.Sprintf("%s-%d", group[0].Device.Name, n)
			}
			used.Insert(name)
			for _, d := range group {
				d.Device.Name, found = name, true
			}
		}
	}
	return found
}

// grouped divides elements into groups connected by a relation.
func grouped[T any](all []T, related func(a, b T) bool) [][]T {
	var groups [][]T
	for _, e := range all {
		joined := []T{}
		rest := groups[:0:0]
		for _, group := range groups {
			if slices.ContainsFunc(group, func(other T) bool { return related(other, e) }) {
				joined = append(joined, group...)
			} else {
				rest = append(rest, group)
			}
		}
		rest = append(rest, append(joined, e))
		groups = rest
	}
	return groups
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
	excuse := plan.ExcuseFor(*known.KnownIssue, e.bed.Target, nil)
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
