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

package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Judge adds the verdict to a report. A run has passed if no case failed, and each case required by
// the profile either has a verdict at the first attempt or does not apply to the cluster. With the
// zero profile, only the cases of the report count.
func Judge(r schema.Report, p schema.RunProfile, list []schema.RequiredCase) schema.Report {
	short := shortfalls{ids: map[string][]string{}}
	ran := map[string]bool{}
	for _, c := range r.Cases {
		ran[c.ID] = true
		i := slices.IndexFunc(list, func(l schema.RequiredCase) bool { return l.ID == c.ID && slices.Contains(l.Profiles, p.Name) })
		switch {
		case i >= 0:
			short.add(c.ID, shortOf(list[i], c.Result(), c.SkipCode, c.Attempts), c)
		case c.Status != spec.NotApplicable && !c.FailedAsExpected(): // other cases need not run, but must not fail
			short.add(c.ID, shortOf(schema.RequiredCase{}, c.Result(), c.SkipCode, c.Attempts), c)
		}
	}
	for _, l := range list {
		if !ran[l.ID] && slices.Contains(l.Profiles, p.Name) && !lacks(r.Cluster, l.Features) {
			short.add(l.ID, leftOut, schema.Case{})
		}
	}
	var open []string
	if m := r.Selection.Mutant; m != "" {
		open = append(open, "the test driver was broken on purpose: "+string(m))
	}
	open = append(slices.Concat(open, violations(r.Findings), r.Problems), short.reasons()...)
	if p.Name != "" {
		r.Profile = &p
	}
	r.Result, r.Reasons = r.Summary.Verdict.Result()
	if r.Result != schema.ResultFailed && len(open) > 0 {
		r.Result = schema.ResultIncomplete
	}
	r.Reasons = append(r.Reasons, open...)
	return r
}

// violations has one line per rule broken in the eyes of the monitors.
func violations(findings []spec.Finding) []string {
	number := map[spec.FindingRule]int{}
	for _, f := range findings {
		if f.Severity == spec.Violation {
			number[f.Rule]++
		}
	}
	var all []string
	for _, rule := range slices.Sorted(maps.Keys(number)) {
		all = append(all, fmt.Sprintf("%d found by monitors: %s", number[rule], rule))
	}
	return all
}

// lacks reports whether one of the features is known to be off.
func lacks(c schema.Cluster, features []spec.Feature) bool {
	return slices.ContainsFunc(features, func(f spec.Feature) bool {
		seen, sure := observed(f, c)
		return seen == "" && sure
	})
}

// Shortfalls of cases, in the order of reasons.
const (
	failed     = "failed"
	blocked    = "without a verdict"
	unreviewed = "with a known issue not reviewed for this version of Kubernetes"
	impossible = "could not run"
	expected   = "expected to fail"
	leftOut    = "left out by the filter"
	retried    = "needed a retry"
)

// shortfalls groups cases by shortfall.
type shortfalls struct {
	order []string
	ids   map[string][]string
}

// add adds a case. Cases that could not run are grouped by skip reason.
func (s *shortfalls) add(id, short string, c schema.Case) {
	if short == "" {
		return
	}
	if short == impossible {
		short += fmt.Sprintf(" (%s, %s)", c.SkipCode, c.Reason)
	}
	if s.ids[short] == nil {
		s.order = append(s.order, short)
	}
	s.ids[short] = append(s.ids[short], id)
}

// reasons has one line per shortfall.
func (s *shortfalls) reasons() []string {
	var all []string
	for _, kind := range []string{failed, expected, unreviewed, blocked, impossible, leftOut, retried} {
		for _, short := range s.order {
			if strings.HasPrefix(short, kind) {
				all = append(all, some(short, s.ids[short]))
			}
		}
	}
	return all
}

// shortOf returns the shortfall of a case; empty for most.
func shortOf(required schema.RequiredCase, result schema.CaseResult, code spec.SkipCode, attempts int) string {
	switch result {
	case schema.CaseFailed:
		return failed
	case schema.CaseExpectedFailure:
		return expected
	case schema.CaseUnreviewed:
		return unreviewed
	case schema.CaseBlocked:
		return blocked
	case schema.CaseNotSelected:
		return leftOut
	case schema.CaseNotApplicable:
		if needNot(required, code) {
			return ""
		}
		return impossible
	default:
		if attempts > 1 {
			return retried
		}
		return ""
	}
}

// needNot reports whether a skipped case is excused: the cluster does not serve its feature, API or
// release, the driver under test does not support it, or has nothing to judge.
func needNot(c schema.RequiredCase, code spec.SkipCode) bool {
	switch code {
	case spec.SkipFeature, spec.SkipAPI, spec.SkipDriverFeature, spec.SkipHook:
		return true
	case spec.SkipCheck:
		return !slices.Contains(spec.BasicContract(), c.ID)
	case spec.SkipVersion:
		return len(c.Releases()) > 0
	case spec.SkipDriver:
		return c.DriverUnderTest
	default:
		return false
	}
}

// some lists the first few cases.
func some(what string, ids []string) string {
	const most = 3
	named, more := ids, ""
	if len(ids) > most {
		named, more = ids[:most], fmt.Sprintf(" and %d more", len(ids)-most)
	}
	return fmt.Sprintf("%d %s: %s%s", len(ids), what, strings.Join(named, ", "), more)
}
