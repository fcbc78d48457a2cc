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

package console_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/run/console"
	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestConsole(t *testing.T) {
	start := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	var out bytes.Buffer
	c := console.New(&out, "_artifacts", 5, 2, start)
	defer c.Close()
	show := func(seconds int, id string, o *spec.Outcome) {
		c.Show(at(seconds), journal.Record{Progress: spec.Progress{Time: at(seconds), ID: id, Outcome: o}})
	}
	c.Expected = []schema.Expectation{{Case: "core/x", Reason: "known", Issue: "example#1", Until: "2027-03-31"}, {Case: "core/y", Reason: "known", Issue: "example#1", Until: "2027-03-31"}}
	show(0, "core/a", nil)
	show(0, "core/b", nil)
	show(2, "core/a", &spec.Outcome{ID: "core/a", Status: spec.Passed, Duration: 2100 * time.Millisecond})
	c.Show(at(3), journal.Record{Progress: spec.Progress{Time: at(3), ID: "core/b", Step: "wait for the pod"}})
	c.Tick(at(11))
	c.Tick(at(12))
	c.Tick(at(13))
	show(14, "core/b", &spec.Outcome{ID: "core/b", Status: spec.Failed, Duration: 14 * time.Second,
		Failure: "pod is not\n  running", LastStep: "wait for the pod", Evidence: "cases/core.b"})
	show(15, "core/c", &spec.Outcome{ID: "core/c", Status: spec.Blocked, Reason: strings.Repeat("x", 300)})
	show(15, "core/d", &spec.Outcome{ID: "core/d", Status: spec.Failed, LastStep: "create pod",
		Failure: "wait for pod to run: too late\nevent: Warning Failed: no device\nevent: Normal Scheduled\nlast seen: phase Pending"})
	show(15, "node/e", &spec.Outcome{ID: "node/e", Status: spec.Known, Reason: "kubernetes#1: it is 0"})
	show(15, "core/x", &spec.Outcome{ID: "core/x", Status: spec.Failed, Failure: "one is not two"})
	show(15, "core/y", &spec.Outcome{ID: "core/y", Status: spec.Passed})
	c.Show(at(16), journal.Record{Problem: "BeforeSuite failed"})
	c.Show(at(17), journal.Record{Finding: &spec.Finding{Rule: "double-allocated", Severity: spec.Violation, Text: "device\nx"}})
	c.Tick(at(30))
	want := `ok   core/a                                              2.1s
  .. 1 of 5 done, still running: core/b (12s)
FAIL core/b                                             14.0s
     pod is not running
     last: wait for the pod
     evidence: _artifacts/cases/core.b
BLKD core/c                                              0.0s
     ` + strings.Repeat("x", 240) + ` …
FAIL core/d                                              0.0s
     wait for pod to run: too late
     last: event: Warning Failed: no device
known node/e                                             0.0s
     kubernetes#1: it is 0
xfail core/x                                             0.0s
     expected to fail: known (example#1, until 2027-03-31)
     one is not two
xpass core/y                                             0.0s
     expected to fail: known (example#1, until 2027-03-31)
!!   BeforeSuite failed
!!   violation double-allocated: device x
  .. 7 of 5 done, still running: no case at the moment
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}

func TestSummaryOfASelection(t *testing.T) {
	r := reports.Build(spec.Plan{Entries: []spec.Entry{{Meta: spec.Meta{ID: "core/a"}}}}, []spec.Outcome{{ID: "core/a", Status: spec.Passed}},
		reports.Info{Selection: schema.Selection{Focus: []string{"a"}}})
	var out bytes.Buffer
	console.Summary(&out, reports.Judge(r, schema.RunProfile{}, nil), "_artifacts")
	if want := "a selection of 1 case; no profile was judged\nreport: _artifacts/report.md\nverdict: passed\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("want %q at the end of\n%s", want, out.String())
	}
}

// A certification has one verdict, its certificate's.
func TestCasesOfACertification(t *testing.T) {
	r := reports.Judge(reports.Build(spec.Plan{Entries: []spec.Entry{{Meta: spec.Meta{ID: "core/a"}}}}, nil, reports.Info{}), schema.RunProfile{}, nil)
	var out bytes.Buffer
	console.Cases(&out, r, "_artifacts")
	if got := out.String(); strings.Contains(got, "verdict") || strings.Contains(got, "reason: ") || !strings.HasSuffix(got, "\nreport: _artifacts/report.md\n") {
		t.Error(got)
	}
}

func TestSummaryOfViolations(t *testing.T) {
	r := reports.Build(spec.Plan{Entries: []spec.Entry{{Meta: spec.Meta{ID: "core/a"}}}}, []spec.Outcome{{ID: "core/a", Status: spec.Passed}},
		reports.Info{Findings: []spec.Finding{{Rule: "double-allocated", Severity: spec.Violation, Text: "device x"}}})
	var out bytes.Buffer
	console.Summary(&out, r, "_artifacts")
	for _, want := range []string{"1 passed, 0 failed, 1 violation, 0 blocked", "\nviolation double-allocated: device x\n", "\nverdict: failed: 0 of 1 cases, and monitors found 1 violation(s)\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestPlanAndSummary(t *testing.T) {
	p := spec.Plan{
		Target: spec.Target{Server: "https://a:1", Kubernetes: "v1.37.1"},
		Entries: []spec.Entry{
			{Meta: spec.Meta{ID: "core/a", WaitsFor: "30 s"}},
			{Meta: spec.Meta{ID: "node/e", KnownIssue: &spec.KnownIssue{Issue: "kubernetes#1"}}},
			{Meta: spec.Meta{ID: "node/f", KnownIssue: &spec.KnownIssue{Issue: "kubernetes#2"}}},
			{Meta: spec.Meta{ID: "node/g", Requires: []spec.RequirementID{"k/x"}}},
			{Meta: spec.Meta{ID: "core/bb"}, Skip: &spec.Skip{Code: spec.SkipNodes, Text: "needs 2"}},
		},
	}
	var out bytes.Buffer
	console.Plan(&out, p)
	console.Skips(&out, p)
	r := reports.Build(p, []spec.Outcome{{ID: "core/a", Status: spec.Failed, Duration: time.Second},
		{ID: "node/e", Status: spec.Known, Duration: time.Second, Reason: "kubernetes#1: it is 0"},
		{ID: "node/f", Status: spec.Passed, Duration: time.Second, ClosedHere: "kubelet v1.37.1", Basis: spec.Claimed},
		{ID: "node/g", Status: spec.Failed, Duration: time.Second}},
		reports.Info{Requirements: []spec.Requirement{{ID: "k/x", Level: spec.Should}}, Problems: []string{"a\nb"}})
	console.Summary(&out, r, "_artifacts")
	want := `run  core/a   core,Conformance,Slow
run  node/e   node
run  node/f   node
run  node/g   node,Conformance
skip core/bb  TooFewNodes: needs 2
4 of 5 cases would run on Kubernetes v1.37.1 at https://a:1
skip core/bb                                          needs 2

1 passed, 1 failed, 1 warning, 1 known issue, 0 blocked, 1 not applicable (median 1.0s, whole run 0.0s)
slowest: core/a 1.0s, node/e 1.0s, node/f 1.0s
known issue: node/e: kubernetes#1: it is 0
closed here: kubernetes#2 was not seen by case node/f on kubelet v1.37.1 (claimed)
warning: node/g: failed, which should not be, and may
problem: a b
report: _artifacts/report.md
verdict: failed: 1 of 5 cases
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}
