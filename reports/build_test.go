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

package reports_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

func entry(id string, code spec.SkipCode) spec.Entry {
	e := spec.Entry{Meta: spec.Meta{ID: id, Checks: "It holds."}}
	if code != "" {
		e.Skip = &spec.Skip{Code: code, Text: "because"}
	}
	return e
}

func outcome(id string, status spec.Status, d time.Duration) spec.Outcome {
	return spec.Outcome{ID: id, Status: status, Duration: d}
}

var levels = []spec.Requirement{
	{ID: "k/must", Level: spec.Must, Section: "here", Text: "It must."},
	{ID: "k/should", Level: spec.Should, Section: "there", Text: "It should."},
	{ID: "k/may", Level: spec.May, Section: "nowhere", Text: "It may."},
}

func requiring(id string, ids ...spec.RequirementID) spec.Entry {
	return spec.Entry{Meta: spec.Meta{ID: id, Requires: ids}}
}

func TestVerdict(t *testing.T) {
	a, b := entry("a/a", ""), entry("a/b", "")
	for name, tc := range map[string]struct {
		plan     []spec.Entry
		outcomes []spec.Outcome
		problems []string
		want     schema.Summary
	}{
		"an expected failure is no failure": {[]spec.Entry{a, entry("a/x", "")}, []spec.Outcome{outcome("a/a", spec.Passed, 1e9), outcome("a/x", spec.Failed, 3e9)}, nil,
			schema.Summary{Verdict: schema.Passed, Total: 2, Passed: 1, ExpectedFailures: 1, MedianSeconds: 2, MaxSeconds: 3}},
		"expected failures alone are no pass": {[]spec.Entry{entry("a/x", "")}, []spec.Outcome{outcome("a/x", spec.Failed, 0)}, nil,
			schema.Summary{Verdict: schema.NothingPassed, Total: 1, ExpectedFailures: 1}},
		"an expected failure beside a failure": {[]spec.Entry{a, entry("a/x", "")}, []spec.Outcome{outcome("a/a", spec.Failed, 0), outcome("a/x", spec.Failed, 0)}, nil,
			schema.Summary{Verdict: schema.Failed, Total: 2, Failed: 1, ExpectedFailures: 1}},
		"an expected warning is a warning": {[]spec.Entry{a, requiring("a/x", "k/should")}, []spec.Outcome{outcome("a/a", spec.Passed, 0), outcome("a/x", spec.Failed, 0)}, nil,
			schema.Summary{Verdict: schema.Passed, Total: 2, Passed: 1, Warnings: 1}},
		"an unexpected pass passes": {[]spec.Entry{entry("a/x", "")}, []spec.Outcome{outcome("a/x", spec.Passed, 0)}, nil,
			schema.Summary{Verdict: schema.Passed, Total: 1, Passed: 1}},
		"what is expected to fail and has no verdict is incomplete": {[]spec.Entry{a, entry("a/x", "")}, []spec.Outcome{outcome("a/a", spec.Passed, 0), outcome("a/x", spec.Blocked, 0)}, nil,
			schema.Summary{Verdict: schema.Incomplete, Total: 2, Passed: 1, Blocked: 1}},
		"all passed": {[]spec.Entry{a, b}, []spec.Outcome{outcome("a/a", spec.Passed, 1e9), outcome("a/b", spec.Passed, 3e9)}, nil,
			schema.Summary{Verdict: schema.Passed, Total: 2, Passed: 2, MedianSeconds: 2, MaxSeconds: 3}},
		"one failed": {[]spec.Entry{a, b}, []spec.Outcome{outcome("a/a", spec.Passed, 1e9), outcome("a/b", spec.Failed, 5e9)}, nil,
			schema.Summary{Verdict: schema.Failed, Total: 2, Passed: 1, Failed: 1, MedianSeconds: 3, MaxSeconds: 5}},
		"failed wins over blocked": {[]spec.Entry{a, b}, []spec.Outcome{outcome("a/b", spec.Failed, 0)}, nil,
			schema.Summary{Verdict: schema.Failed, Total: 2, Failed: 1, Blocked: 1}},
		"no outcome is blocked": {[]spec.Entry{a, b}, []spec.Outcome{outcome("a/a", spec.Passed, 1e9)}, nil,
			schema.Summary{Verdict: schema.Incomplete, Total: 2, Passed: 1, Blocked: 1, MedianSeconds: 1, MaxSeconds: 1}},
		"not applicable is no failure": {[]spec.Entry{a, entry("a/b", spec.SkipNodes)}, []spec.Outcome{outcome("a/a", spec.Passed, 0)}, nil,
			schema.Summary{Verdict: schema.Passed, Total: 2, Passed: 1, NotApplicable: 1}},
		"unseen is incomplete": {[]spec.Entry{a, entry("a/b", spec.SkipFeatureUnseen)}, []spec.Outcome{outcome("a/a", spec.Passed, 0)}, nil,
			schema.Summary{Verdict: schema.Incomplete, Total: 2, Passed: 1, Blocked: 1}},
		"passed at the second attempt": {[]spec.Entry{a}, []spec.Outcome{outcome("a/a", spec.Failed, 0), outcome("a/a", spec.Passed, 0)}, nil,
			schema.Summary{Verdict: schema.Incomplete, Total: 1, Passed: 1, Retried: 1}},
		"a known issue is no failure": {[]spec.Entry{a, b}, []spec.Outcome{outcome("a/a", spec.Passed, 1e9), outcome("a/b", spec.Known, 3e9)}, nil,
			schema.Summary{Verdict: schema.Passed, Total: 2, Passed: 1, KnownIssues: 1, MedianSeconds: 2, MaxSeconds: 3}},
		"known issues alone are no pass": {[]spec.Entry{a}, []spec.Outcome{outcome("a/a", spec.Known, 0)}, nil,
			schema.Summary{Verdict: schema.NothingPassed, Total: 1, KnownIssues: 1}},
		"a known issue to be reviewed is incomplete": {[]spec.Entry{a, b}, []spec.Outcome{outcome("a/a", spec.Passed, 1e9), outcome("a/b", spec.Unreviewed, 3e9)}, nil,
			schema.Summary{Verdict: schema.Incomplete, Total: 2, Passed: 1, Unreviewed: 1, MedianSeconds: 2, MaxSeconds: 3}},
		"an expected known issue to be reviewed is an expected failure": {[]spec.Entry{a, entry("a/x", "")}, []spec.Outcome{outcome("a/a", spec.Passed, 1e9), outcome("a/x", spec.Unreviewed, 3e9)}, nil,
			schema.Summary{Verdict: schema.Passed, Total: 2, Passed: 1, ExpectedFailures: 1, MedianSeconds: 2, MaxSeconds: 3}},
		"a warning is no failure": {[]spec.Entry{a, requiring("a/b", "k/should", "k/may")}, []spec.Outcome{outcome("a/a", spec.Passed, 1e9), outcome("a/b", spec.Failed, 3e9)}, nil,
			schema.Summary{Verdict: schema.Passed, Total: 2, Passed: 1, Warnings: 1, MedianSeconds: 2, MaxSeconds: 3}},
		"a warning alone is no pass": {[]spec.Entry{requiring("a/a", "k/should")}, []spec.Outcome{outcome("a/a", spec.Failed, 0)}, nil,
			schema.Summary{Verdict: schema.NothingPassed, Total: 1, Warnings: 1}},
		"one MUST makes a failure": {[]spec.Entry{a, requiring("a/b", "k/should", "k/must")}, []spec.Outcome{outcome("a/a", spec.Passed, 0), outcome("a/b", spec.Failed, 0)}, nil,
			schema.Summary{Verdict: schema.Failed, Total: 2, Passed: 1, Failed: 1}},
		"what is not in the list is a MUST": {[]spec.Entry{a, requiring("a/b", "k/should", "k/unknown")}, []spec.Outcome{outcome("a/a", spec.Passed, 0), outcome("a/b", spec.Failed, 0)}, nil,
			schema.Summary{Verdict: schema.Failed, Total: 2, Passed: 1, Failed: 1}},
		"closed here": {[]spec.Entry{a}, []spec.Outcome{{ID: "a/a", Status: spec.Passed, ClosedHere: "kubelet v1.37.1"}}, nil,
			schema.Summary{Verdict: schema.Passed, Total: 1, Passed: 1, ClosedHere: 1}},
		"a known issue at the second attempt": {[]spec.Entry{a}, []spec.Outcome{outcome("a/a", spec.Failed, 0), outcome("a/a", spec.Known, 0)}, nil,
			schema.Summary{Verdict: schema.Incomplete, Total: 1, KnownIssues: 1, Retried: 1}},
		"a known issue beside a failure": {[]spec.Entry{a, b}, []spec.Outcome{outcome("a/a", spec.Known, 0), outcome("a/b", spec.Failed, 0)}, nil,
			schema.Summary{Verdict: schema.Failed, Total: 2, KnownIssues: 1, Failed: 1}},
		"what has failed counts, though it is left out later": {[]spec.Entry{a, entry("a/b", spec.SkipFeature)}, []spec.Outcome{outcome("a/a", spec.Passed, 0), outcome("a/b", spec.Failed, 0)}, nil,
			schema.Summary{Verdict: schema.Failed, Total: 2, Passed: 1, Failed: 1}},
		"what has passed and is left out later is incomplete": {[]spec.Entry{entry("a/a", spec.SkipNodes)}, []spec.Outcome{outcome("a/a", spec.Passed, 0)}, nil,
			schema.Summary{Verdict: schema.Incomplete, Total: 1, Passed: 1}},
		"problems beside the cases": {[]spec.Entry{a}, []spec.Outcome{outcome("a/a", spec.Passed, 0)}, []string{"ginkgo crashed"},
			schema.Summary{Verdict: schema.Incomplete, Total: 1, Passed: 1}},
		"nothing planned":        {nil, nil, nil, schema.Summary{Verdict: schema.NothingRan}},
		"nothing was applicable": {[]spec.Entry{entry("a/a", spec.SkipNodes)}, nil, nil, schema.Summary{Verdict: schema.NothingRan, Total: 1, NotApplicable: 1}},
		"outcome without plan": {[]spec.Entry{a}, []spec.Outcome{outcome("a/a", spec.Passed, 0), outcome("x/x", spec.Passed, 0)}, nil,
			schema.Summary{Verdict: schema.Incomplete, Total: 1, Passed: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			r := reports.Build(spec.Plan{Entries: tc.plan}, tc.outcomes, reports.Info{
				Problems: tc.problems, Requirements: levels,
				Selection: schema.Selection{Expectations: []schema.Expectation{{Case: "a/x", Reason: "known", Issue: "example#1", Until: "2027-03-31"}}},
			})
			if d := cmp.Diff(tc.want, r.Summary); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestViolationsFailARun(t *testing.T) {
	for severity, want := range map[spec.FindingSeverity]schema.Summary{
		spec.Violation: {Verdict: schema.Failed, Total: 1, Passed: 1, Violations: 1},
		spec.Warning:   {Verdict: schema.Passed, Total: 1, Passed: 1},
	} {
		r := reports.Build(spec.Plan{Entries: []spec.Entry{entry("a/a", "")}}, []spec.Outcome{outcome("a/a", spec.Passed, 0)},
			reports.Info{Findings: []spec.Finding{{Rule: "double-allocated", Severity: severity}}})
		if d := cmp.Diff(want, r.Summary); d != "" {
			t.Errorf("%s: %s", severity, d)
		}
		result, reasons := reports.Judge(r, schema.RunProfile{}, nil).Outcome()
		if failed := severity == spec.Violation; failed != (result == schema.ResultFailed) || failed != slices.Contains(reasons, "1 found by monitors: double-allocated") {
			t.Errorf("%s: %s, %q", severity, result, reasons)
		}
	}
}

func TestCasesWithoutOutcomeSayWhy(t *testing.T) {
	r := reports.Build(spec.Plan{Entries: []spec.Entry{entry("a/a", "")}}, nil, reports.Info{EndedEarly: "the run was interrupted"})
	if got := r.Cases[0]; got.Status != spec.Blocked || got.Reason != "did not end: the run was interrupted" {
		t.Errorf("got %+v", got)
	}
}

func TestSlowest(t *testing.T) {
	outcomes := []spec.Outcome{outcome("a/a", spec.Passed, 1e9), outcome("a/b", spec.Failed, 3e9), outcome("a/c", spec.Passed, 2e9)}
	plan := spec.Plan{Entries: []spec.Entry{entry("a/a", ""), entry("a/b", ""), entry("a/c", ""), entry("a/d", spec.SkipNodes)}}
	var got []string
	for _, c := range reports.Slowest(reports.Build(plan, outcomes, reports.Info{}), 2) {
		got = append(got, c.ID)
	}
	if d := cmp.Diff([]string{"a/b", "a/c"}, got); d != "" {
		t.Error(d)
	}
}

func TestEncodeDecode(t *testing.T) {
	want := example()
	data, err := schema.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := schema.Decode(data)
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	for name, change := range map[string][2]string{
		"schema version": {schema.Version, "dra-conformance.github.io/v9"},
		"unknown field":  {`"seed"`, `"sead"`},
	} {
		if _, err := schema.Decode([]byte(strings.Replace(string(data), change[0], change[1], 1))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
