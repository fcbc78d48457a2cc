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
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Info has the contents of a report besides the plan and the outcomes.
type Info struct {
	Suite     schema.Suite
	Provider  string
	Driver    schema.Driver
	Selection schema.Selection
	// Requirements are all requirements with their texts.
	Requirements []spec.Requirement
	Seed         int64
	Started      time.Time
	Ended        time.Time
	// EndedEarly is the reason for planned cases without an outcome, such as "the run was interrupted";
	// empty if unknown.
	EndedEarly string
	// Problems are errors outside of the cases.
	Problems []string
	// Monitoring describes the monitors, Findings what they found.
	Monitoring *spec.Monitoring
	Findings   []spec.Finding
}

// Build builds the report of a run with all planned cases, in the plan's order. Cases without an
// outcome or with undecidable needs are Blocked. The last outcome of a case counts, even if the plan
// of a resumed run skips the case; this is recorded as a problem. Outcomes of unplanned cases are
// problems, too.
func Build(plan spec.Plan, outcomes []spec.Outcome, info Info) schema.Report {
	r := schema.Report{
		SchemaVersion:   schema.Version,
		Suite:           info.Suite,
		Cluster:         cluster(plan.Target, info.Provider),
		Driver:          info.Driver,
		Selection:       info.Selection,
		Seed:            info.Seed,
		Started:         info.Started,
		Ended:           info.Ended,
		DurationSeconds: seconds(info.Ended.Sub(info.Started)),
		Problems:        slices.Clone(info.Problems),
		Monitoring:      info.Monitoring,
		Findings:        info.Findings,
		Cases:           []schema.Case{},
	}
	byID := map[string][]spec.Outcome{}
	for _, o := range outcomes {
		byID[o.ID] = append(byID[o.ID], o)
	}
	planned := map[string]bool{}
	for _, e := range plan.Entries {
		planned[e.Meta.ID] = true
		if e.Skip != nil && len(byID[e.Meta.ID]) > 0 {
			problem := "case " + e.Meta.ID + " has an outcome, and was left out when the run went on: " + e.Skip.Text
			if !slices.Contains(r.Problems, problem) { // from an earlier resume
				r.Problems = append(r.Problems, problem)
			}
		}
		r.Cases = append(r.Cases, caseOf(e, byID[e.Meta.ID], info))
	}
	for _, o := range outcomes {
		if !planned[o.ID] {
			r.Problems = append(r.Problems, "case "+o.ID+" has an outcome, but was not planned")
		}
	}
	r.Summary = summarize(r.Cases, r.Findings, len(r.Problems) > 0)
	return schema.Printable(r)
}

func cluster(t spec.Target, provider string) schema.Cluster {
	var runtimes []string
	for _, n := range t.Nodes {
		runtimes = append(runtimes, n.Runtime)
	}
	slices.Sort(runtimes)
	return schema.Cluster{
		Provider: provider, Server: t.Server, Kubernetes: t.Kubernetes, ResourceAPIs: t.ResourceAPIs,
		Components: t.Components, Stack: t.Stack, Running: t.Running, Runtimes: slices.Compact(runtimes), Nodes: t.Nodes,
		Gates: t.Gates, GatesUnseen: t.GatesUnseen, Observed: t.Observed,
	}
}

func caseOf(e spec.Entry, outcomes []spec.Outcome, info Info) schema.Case {
	c := schema.Case{ID: e.Meta.ID, Aliases: e.Meta.Aliases, Checks: e.Meta.Checks, Labels: e.Meta.Labels(), Requirements: requirements(e.Meta.Requires, info.Requirements), WaitsFor: e.Meta.WaitsFor}
	switch {
	case e.Skip != nil && len(outcomes) == 0:
		c.Status, c.SkipCode, c.Reason = spec.NotApplicable, e.Skip.Code, e.Skip.Text
		if e.Skip.Code == spec.SkipFeatureUnseen {
			c.Status = spec.Blocked
		}
		return c
	case len(outcomes) == 0:
		c.Status, c.Reason = spec.Blocked, because("did not end", info.EndedEarly)
		return c
	}
	last := outcomes[len(outcomes)-1]
	c.Status, c.Started, c.DurationSeconds = last.Status, last.Started, seconds(last.Duration)
	c.Reason, c.Failure, c.LastStep = last.Reason, last.Failure, last.LastStep
	c.Location, c.Timeline, c.Measured = last.Location, last.Timeline, last.Measured
	if c.Status == spec.NotApplicable { // only checks find out while they run
		c.SkipCode = spec.SkipCheck
	}
	for _, o := range slices.Backward(outcomes) {
		if c.Evidence = o.Evidence; c.Evidence != "" {
			break // from the last attempt with evidence
		}
	}
	if c.Status == spec.Known || c.Status == spec.Unreviewed || last.ClosedHere != "" {
		c.KnownIssue, c.Basis, c.ClosedHere = e.Meta.KnownIssue, last.Basis, last.ClosedHere
	}
	if slices.Contains([]spec.Status{spec.Passed, spec.Failed, spec.Unreviewed}, c.Status) {
		if i := slices.IndexFunc(info.Selection.Expectations, func(x schema.Expectation) bool { return x.Case == c.ID }); i >= 0 {
			c.Expected = &info.Selection.Expectations[i]
		}
	}
	if len(outcomes) > 1 {
		c.Attempts = len(outcomes)
	}
	return c
}

func because(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + why
}

func summarize(cases []schema.Case, findings []spec.Finding, problems bool) schema.Summary {
	s := schema.Summary{Total: len(cases)}
	for _, f := range findings {
		if f.Severity == spec.Violation {
			s.Violations++
		}
	}
	var ended []float64
	for _, c := range cases {
		if c.Attempts > 1 && (c.Status == spec.Passed || c.Status == spec.Known) {
			s.Retried++
		}
		if c.ClosedHere != "" {
			s.ClosedHere++
		}
		number := map[spec.Status]*int{
			spec.Passed: &s.Passed, spec.Known: &s.KnownIssues, spec.Unreviewed: &s.Unreviewed, spec.Failed: &s.Failed, spec.NotApplicable: &s.NotApplicable,
		}[c.Status]
		if number == nil {
			number = &s.Blocked
		} else if c.Status != spec.NotApplicable {
			ended = append(ended, c.DurationSeconds)
		}
		switch {
		case c.Warning():
			number = &s.Warnings
		case c.FailedAsExpected():
			number = &s.ExpectedFailures
		}
		*number++
	}
	if n := len(ended); n > 0 {
		slices.Sort(ended)
		s.MaxSeconds = ended[n-1]
		s.MedianSeconds = seconds(time.Duration((ended[(n-1)/2] + ended[n/2]) / 2 * float64(time.Second)))
	}
	switch {
	case s.Failed > 0, s.Violations > 0:
		s.Verdict = schema.Failed
	case s.Blocked > 0, s.Unreviewed > 0, s.Retried > 0, problems:
		s.Verdict = schema.Incomplete
	case s.Passed+s.KnownIssues+s.Warnings+s.ExpectedFailures == 0:
		s.Verdict = schema.NothingRan
	case s.Passed == 0:
		s.Verdict = schema.NothingPassed
	default:
		s.Verdict = schema.Passed
	}
	return s
}

// seconds rounds to milliseconds, for readability.
func seconds(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond).Milliseconds()) / 1000
}

// Slowest returns up to n cases with a run time, slowest first.
func Slowest(r schema.Report, n int) []schema.Case {
	ran := slices.DeleteFunc(slices.Clone(r.Cases), func(c schema.Case) bool { return c.DurationSeconds == 0 })
	slices.SortStableFunc(ran, func(a, b schema.Case) int {
		switch {
		case a.DurationSeconds > b.DurationSeconds:
			return -1
		case a.DurationSeconds < b.DurationSeconds:
			return 1
		default:
			return strings.Compare(a.ID, b.ID)
		}
	})
	return ran[:min(n, len(ran))]
}
