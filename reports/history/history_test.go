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

package history_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/history"
	"github.com/dra-conformance/dratest/reports/schema"
)

var start = time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)

func of(id string, result schema.CaseResult, seconds ...float64) schema.ConformanceCase {
	c := schema.ConformanceCase{RequiredCase: schema.RequiredCase{ID: id}, Result: result}
	status := map[schema.CaseResult]spec.Status{schema.CasePassed: spec.Passed, schema.CaseFailed: spec.Failed, schema.CaseKnownIssue: spec.Known, schema.CaseBlocked: spec.Blocked}[result]
	if result == schema.CaseFailed {
		c.Reason = "it broke\nhere"
	}
	for _, s := range seconds {
		c.Attempts = append(c.Attempts, schema.Attempt{Status: status, DurationSeconds: s})
	}
	return c
}

// report returns the report of a day's run.
func report(day int, version string, cases ...schema.ConformanceCase) history.Report {
	r := history.Report{Dir: fmt.Sprintf("run-%d", day)}
	r.Run.Started, r.Cluster.Kubernetes, r.Result, r.Cases = start.AddDate(0, 0, day), version, schema.ResultPassed, cases
	return r
}

func TestHistory(t *testing.T) {
	var reports []history.Report
	for day := range 10 {
		flaky, slow, renamed := of("core/flaky", schema.CasePassed, 3), of("core/slow", schema.CasePassed, 2), of("core/new", schema.CasePassed, 1)
		if day == 3 || day == 7 {
			flaky = of("core/flaky", schema.CaseFailed, 3)
		}
		if day >= 6 {
			slow = of("core/slow", schema.CasePassed, 20)
		}
		if day < 5 {
			renamed.ID = "core/old"
		}
		retried := of("core/retried", schema.CasePassed, 1)
		if day == 9 {
			retried.Attempts = append([]schema.Attempt{{Status: spec.Failed}}, retried.Attempts...)
		}
		known := of("core/known", schema.CaseKnownIssue, 1)
		if day < 3 {
			known.Result = schema.CaseUnreviewed // by an earlier dratest: it was called flaky
		}
		reports = append(reports, report(day, "v1.37.1", flaky, slow, renamed, retried,
			known, of("core/blocked", map[bool]schema.CaseResult{true: schema.CaseBlocked, false: schema.CasePassed}[day == 2], 1), of("core/left-out", schema.CaseNotSelected)))
	}
	reports = append(reports, report(20, "v1.38.0", of("core/new", schema.CaseFailed, 1), of("core/flaky", schema.CasePassed, 3)))
	reports[0], reports[9] = reports[9], reports[0] // input order is irrelevant
	h := history.New(reports, map[string]string{"core/old": "core/new"})
	got := map[string]string{}
	for _, c := range h.Cases {
		got[c.ID] = c.Rate() + ": " + strings.Join(c.Notes(), "; ")
	}
	want := map[string]string{
		"core/flaky":   "82% of 11: flaky on v1.37.1; first failed 2026-11-04 10:00 on v1.37.1: it broke",
		"core/slow":    "100% of 10: slower since 2026-11-07 10:00 on v1.37.1: 2.0s -> 20.0s",
		"core/new":     "91% of 11: first failed 2026-11-21 10:00 on v1.38.0: it broke",
		"core/retried": "100% of 10: flaky on v1.37.1",
		"core/known":   "-: ",
		"core/blocked": "100% of 9: ",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(h.Runs) != 11 || h.Runs[0].Dir != "run-0" || h.Runs[10].Target != "v1.38.0" {
		t.Errorf("%+v", h.Runs)
	}
	text := history.Text(h)
	for _, line := range []string{"core/flaky    82% of 11", "2 of 6 cases never failed", "run  2026-11-21 10:00  passed  v1.38.0  run-20"} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is not in:\n%s", line, text)
		}
	}
	page, err := history.HTML(h)
	if err != nil || !strings.Contains(string(page), "v1.37.1: failed 2, passed 8") {
		t.Errorf("%v: %s", err, page)
	}
}
