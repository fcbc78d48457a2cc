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

package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/issues/review"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

func issue(id, component, through string) spec.KnownIssue {
	return spec.KnownIssue{ID: id, Issue: id, Component: component, Through: through, Review: "2027-01-31", Does: "It does not."}
}

func stock(name, node, version string) spec.Component {
	return spec.Component{Name: name, Program: name, Node: node, Version: version, Whose: spec.Stock, Basis: spec.Proven}
}

// cluster runs 1.38 with one kubelet of 1.37 and this project's controllers.
func cluster() schema.Cluster {
	own := stock(spec.Controllers, "a", "v1.38.0")
	own.Whose = spec.Own
	return schema.Cluster{Kubernetes: "v1.38.0", Running: []spec.Component{stock(spec.Scheduler, "a", "v1.38.0+k3s1"), own, stock(spec.Kubelet, "b", "v1.37.1")}}
}

func TestJudge(t *testing.T) {
	passed, failed := schema.Case{Status: spec.Passed}, schema.Case{Status: spec.Failed, Failure: "expected 1, got 2\nand more"}
	unreviewed, known, blocked := schema.Case{Status: spec.Unreviewed}, schema.Case{Status: spec.Known}, schema.Case{Status: spec.Blocked, Reason: "no room"}
	for _, tc := range []struct {
		name  string
		issue spec.KnownIssue
		cases []schema.Case
		want  string // version, result, decision, reason
	}{
		{"seen as before", issue("k", spec.Scheduler, "1.37"), []schema.Case{unreviewed}, "v1.38.0 seen; to be recorded; -"},
		{"not seen", issue("k", spec.Scheduler, "1.37"), []schema.Case{passed, passed}, "v1.38.0 closed; to be recorded; -"},
		{"seen differently", issue("k", spec.Scheduler, "1.37"), []schema.Case{unreviewed, failed}, "v1.38.0 failed; to be investigated; a/two: expected 1, got 2"},
		{"seen by one case", issue("k", spec.Scheduler, "1.37"), []schema.Case{passed, unreviewed}, "v1.38.0 seen; to be recorded; -"},
		{"one case is blocked", issue("k", spec.Scheduler, "1.37"), []schema.Case{passed, blocked}, "v1.38.0 not tried; not reviewed; no room"},
		{"closed earlier", issue("k", spec.Scheduler, "1.37.1"), []schema.Case{passed}, "v1.38.0 closed; -; -"},
		{"closed earlier, and back", issue("k", spec.Scheduler, "1.37.1"), []schema.Case{failed}, "v1.38.0 failed; to be investigated; a/one: expected 1, got 2"},
		{"closed earlier, and not tried", issue("k", spec.Scheduler, "1.37.1"), []schema.Case{blocked}, "v1.38.0 not tried; -; no room"},
		{"known in that version", issue("k", spec.Kubelet, "1.37"), []schema.Case{known}, "v1.37.1 seen; -; -"},
		{"closed in a patch release", issue("k", spec.Kubelet, "1.37"), []schema.Case{passed}, "v1.37.1 closed; to be recorded; -"},
		{"own component", issue("k", spec.Controllers, "1.37"), []schema.Case{passed}, "v1.38.0 not tried; not reviewed; the controllers of a is this project's"},
		{"API server", issue("k", spec.APIServer, "1.37"), []schema.Case{unreviewed}, "v1.38.0 seen; to be recorded; -"},
		{"no case", issue("k", spec.Scheduler, "1.37"), nil, "v1.38.0 not tried; not reviewed; not seen by cases of dratest run: use dratest upgrade or dratest explore"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := schema.Report{Cluster: cluster()}
			metas := []spec.Meta{{ID: "a/other", KnownIssue: &spec.KnownIssue{ID: "other"}}, {ID: "a/none"}}
			for i, c := range tc.cases {
				c.ID = []string{"a/one", "a/two"}[i]
				r.Cases = append(r.Cases, c)
				metas = append(metas, spec.Meta{ID: c.ID, KnownIssue: &tc.issue})
			}
			cells := review.Table(review.Judge([]spec.KnownIssue{tc.issue}, metas, r))[1]
			if got := cells[2] + " " + cells[3] + "; " + cells[4] + "; " + cells[6]; got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestCaseOutsideTheReport(t *testing.T) {
	k := issue("k", spec.Scheduler, "1.37")
	rows := review.Judge([]spec.KnownIssue{k}, []spec.Meta{{ID: "a/one", KnownIssue: &k}}, schema.Report{Cluster: cluster()})
	if rows[0].Result != review.NotTried || rows[0].Reason != "case a/one did not run" {
		t.Errorf("got %+v", rows[0])
	}
}

func TestKubeletsOfSeveralVersionsAreNotReviewed(t *testing.T) {
	k := issue("k", spec.Kubelet, "1.37")
	c := cluster()
	c.Running = append(c.Running, stock(spec.Kubelet, "c", "v1.38.0"))
	for _, status := range []spec.Status{spec.Passed, spec.Known} {
		rows := review.Judge([]spec.KnownIssue{k}, []spec.Meta{{ID: "a/one", KnownIssue: &k}}, schema.Report{Cluster: c, Cases: []schema.Case{{ID: "a/one", Status: status}}})
		if rows[0].Result != review.NotTried || rows[0].Decision != review.Elsewhere || !strings.Contains(rows[0].Reason, "v1.37.1 and v1.38.0") {
			t.Errorf("%s: got %+v", status, rows[0])
		}
	}
}

// The report of one cluster passed the case, that of another one saw the issue: the later one replaced the review, or was
// lost.
func TestReportsOfAVersionDisagree(t *testing.T) {
	k := issue("k", spec.Scheduler, "1.37")
	metas := []spec.Meta{{ID: "a/one", KnownIssue: &k}}
	of := func(status spec.Status) schema.Report {
		return schema.Report{Cluster: cluster(), Cases: []schema.Case{{ID: "a/one", Status: status}}}
	}
	for _, tc := range []struct {
		first, second spec.Status
		want          string // result, decision, cases, reason
	}{
		{spec.Passed, spec.Unreviewed, "failed; to be investigated; a/one; a case saw it, but the issue was last seen in 1.37"},
		{spec.Unreviewed, spec.Passed, "closed; -; a/one; -"},
	} {
		recorded := review.Recorded(review.Judge([]spec.KnownIssue{k}, metas, of(tc.first)), time.Now())
		if got := strings.Join(review.Table(review.Judge(recorded, metas, of(tc.second)))[1][3:], "; "); got != tc.want {
			t.Errorf("%s, then %s: got %s, want %s", tc.first, tc.second, got, tc.want)
		}
	}
}

// A recorded result leaves nothing to decide for the same version.
func TestRecorded(t *testing.T) {
	all := []spec.KnownIssue{issue("seen", spec.Scheduler, "1.37"), issue("closed", spec.Scheduler, "1.37"), issue("failed", spec.Scheduler, "1.37")}
	var metas []spec.Meta
	for _, k := range all {
		metas = append(metas, spec.Meta{ID: "a/" + k.ID, KnownIssue: &k})
	}
	r := schema.Report{Cluster: cluster(), Cases: []schema.Case{{ID: "a/seen", Status: spec.Unreviewed}, {ID: "a/closed", Status: spec.Passed}, {ID: "a/failed", Status: spec.Failed}}}
	rows := review.Judge(all, metas, r)
	if got := review.Summary(rows); got != "3 known issues: 1 seen, 1 closed, 1 failed, 0 not tried" {
		t.Error(got)
	}
	recorded := review.Recorded(rows, time.Date(2026, 12, 10, 12, 0, 0, 0, time.UTC))
	want := []spec.KnownIssue{all[0], all[1], all[2]}
	want[0].Through = "1.38"
	want[0].Reviews = []spec.Review{{Version: "v1.38.0", Date: "2026-12-10", Result: spec.Seen}}
	want[1].Reviews = []spec.Review{{Version: "v1.38.0", Date: "2026-12-10", Result: spec.Closed}}
	if diff := cmp.Diff(want, recorded); diff != "" {
		t.Error(diff)
	}
	again := review.Judge(recorded, metas, r)
	if review.Left(again, review.Record) != 0 || review.Left(again, review.Mend) != 1 {
		t.Errorf("got %+v", again)
	}
}
