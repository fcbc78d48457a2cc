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

package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/expectations"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestRerunFailures(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	t.Setenv("FAKE_FAILED", filepath.Join(t.TempDir(), "failed"))
	o, _ := options(t, kubeconfig, "^fake/(passes|flaky|fails|skipped)")
	if r, err := run.Run(t.Context(), parts(), o); err != nil || r.Summary.Failed != 2 {
		t.Fatalf("%v, %+v", err, r.Summary)
	}
	o.Again, o.Filter.Focus = run.Failures, nil // the report's filter applies
	r, err := run.Run(t.Context(), parts(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]spec.Status{
		"fake/passes": spec.Passed, "fake/passes-too": spec.Passed, "fake/flaky": spec.Passed, "fake/fails": spec.Failed, "fake/skipped": spec.NotApplicable,
	}
	if d := cmp.Diff(want, statuses(r)); d != "" {
		t.Error(d)
	}
	for _, c := range r.Cases {
		if attempts := map[string]int{"fake/flaky": 2, "fake/fails": 2}[c.ID]; c.Attempts != attempts {
			t.Errorf("case %s has %d attempts, want %d", c.ID, c.Attempts, attempts)
		}
	}
	if r.Summary.Retried != 1 || r.Summary.Verdict != schema.Failed {
		t.Errorf("%+v", r.Summary)
	}
	holds(t, o)
}

// An expected failure fails no run, is not repeated, and stays expected.
func TestExpectations(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	o, out := options(t, kubeconfig, "^fake/(passes|fails|panics)")
	expect := func(id string) schema.Expectation {
		return schema.Expectation{Case: id, Reason: "known here", Issue: "example#1", Until: "9999-12-31"}
	}
	o.Expectations = []schema.Expectation{expect("fake/fails"), expect("fake/panics"), expect("fake/passes-too")}
	check := func() {
		t.Helper()
		r, err := run.Run(t.Context(), parts(), o)
		s := r.Summary
		if err != nil || r.Result != schema.ResultPassed || r.Profile != nil || s.Failed != 0 || s.ExpectedFailures != 2 || s.Passed != 2 {
			t.Errorf("%v, %s, %+v: %q", err, r.Result, s, r.Reasons)
		}
		for _, c := range r.Cases {
			if c.Attempts > 0 {
				t.Errorf("%s was run again", c.ID)
			}
		}
		for _, want := range []string{"2 expected failures", "expected failure: fake/fails: known here (example#1, until 9999-12-31)", "unexpectedly passed: fake/passes-too: ", "verdict: passed\n"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is not in:\n%s", want, out)
			}
		}
		out.Reset()
		holds(t, o)
	}
	check()
	o.Again, o.Expectations, o.Filter.Focus = run.Failures, nil, nil
	check()
	journal := filepath.Join(o.ReportDir, reports.JournalFile)
	data, err := os.ReadFile(journal)
	if err == nil {
		err = os.WriteFile(journal, []byte(strings.ReplaceAll(string(data), "9999-12-31", "2026-01-01")), 0o600)
	}
	if _, again := run.Run(t.Context(), parts(), o); err != nil || !errors.Is(again, expectations.ErrExpired) {
		t.Errorf("%v, resumed with an expired expectation: %v", err, again)
	}
	o.Again, o.FailFast, o.Expectations = "", true, []schema.Expectation{expect("fake/fails")}
	if _, err := run.Run(t.Context(), parts(), o); err == nil || !strings.Contains(err.Error(), "fail-fast: would stop at an expected failure") {
		t.Error(err)
	}
}

func TestWhatPassesAtTheSecondAttemptIsIncomplete(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	t.Setenv("FAKE_FAILED", filepath.Join(t.TempDir(), "failed"))
	o, _ := options(t, kubeconfig, "^fake/(passes|flaky)")
	if _, err := run.Run(t.Context(), parts(), o); err != nil {
		t.Fatal(err)
	}
	o.Again = run.Failures
	r, err := run.Run(t.Context(), parts(), o)
	if err != nil || r.Summary.Verdict != schema.Incomplete || r.Summary.Retried != 1 {
		t.Errorf("%v, %+v", err, r.Summary)
	}
	holds(t, o)
}

// killed turns the files of a run into those of a run killed after its first outcome, in the middle of a line.
func killed(t *testing.T, dir string) {
	t.Helper()
	journal := filepath.Join(dir, reports.JournalFile)
	data, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	kept, rest, found := strings.Cut(string(data), "\"outcome\"")
	line, after, _ := strings.Cut(rest, "\n")
	if !found || len(after) < 20 {
		t.Fatalf("the journal is too short:\n%s", data)
	}
	if err := os.WriteFile(journal, []byte(kept+"\"outcome\""+line+"\n"+after[:20]), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{reports.JSONFile, reports.JUnitFile, reports.MarkdownFile, reports.ConformanceFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestResume(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	o, _ := options(t, kubeconfig, "^fake/(passes|serial)")
	o.Strict = true
	first, err := run.Run(t.Context(), parts(), o)
	if err != nil {
		t.Fatal(err)
	}
	killed(t, o.ReportDir)
	o.Again, o.Filter.Focus, o.Strict = run.Unfinished, nil, false
	r, err := run.Run(t.Context(), parts(), o)
	if err != nil || r.Summary.Verdict != schema.Passed || r.Summary.Passed != 3 || !r.Selection.Strict {
		t.Errorf("%v, %+v, strict %t, %q", err, r.Summary, r.Selection.Strict, r.Problems)
	}
	if !r.Started.Before(first.Ended) {
		t.Errorf("started at %s, as if nothing had been before", r.Started)
	}
	holds(t, o)
}

func TestProblemsStay(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	o, _ := options(t, kubeconfig, "^fake/late")
	first, err := run.Run(t.Context(), parts(), o)
	if err != nil || len(first.Problems) != 1 {
		t.Fatalf("%v, %q", err, first.Problems)
	}
	o.Again = run.Failures
	r, err := run.Run(t.Context(), parts(), o)
	if err != nil || r.Summary.Verdict != schema.Incomplete || !cmp.Equal(first.Problems, r.Problems) {
		t.Errorf("%v, %s, %q", err, r.Summary.Verdict, r.Problems)
	}
	holds(t, o)
}

func TestAttemptToGoOnThatFailsLosesNothing(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	o, _ := options(t, kubeconfig, "^fake/late")
	first, err := run.Run(t.Context(), parts(), o)
	if err != nil || len(first.Problems) != 1 {
		t.Fatalf("%v, %q", err, first.Problems)
	}
	o.Again = run.Failures
	gone, stop := apiServer(t)
	stop()
	o.Kubeconfig = gone
	if _, err := run.Run(t.Context(), parts(), o); err == nil {
		t.Fatal("a run goes on without a cluster")
	}
	holds(t, o) // the report is there as it was
	o.Kubeconfig = kubeconfig
	r, err := run.Run(t.Context(), parts(), o)
	if err != nil || r.Summary.Verdict != schema.Incomplete || !cmp.Equal(first.Problems, r.Problems) {
		t.Errorf("%v, %s, %q", err, r.Summary.Verdict, r.Problems)
	}
	holds(t, o)
}

func TestNothingToGoOnWith(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	o, _ := options(t, kubeconfig, "^fake/passes")
	o.Again = run.Unfinished
	if _, err := run.Run(t.Context(), parts(), o); !errors.Is(err, run.ErrNoRun) {
		t.Errorf("got %v", err)
	}
}

func TestOutcomesOfOtherClustersDoNotMix(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	o, _ := options(t, kubeconfig, "^fake/passes")
	if _, err := run.Run(t.Context(), parts(), o); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(o.ReportDir, reports.JournalFile)
	data, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journal, []byte(strings.Replace(string(data), "v1.37.1", "v1.36.4", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Again = run.Failures
	if _, err := run.Run(t.Context(), parts(), o); err == nil || !strings.Contains(err.Error(), "the earlier run was on Kubernetes v1.36.4") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(o.ReportDir, reports.JSONFile)); err != nil {
		t.Errorf("the earlier run's report: %v", err)
	}
}
