package components

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/suites"
	"github.com/dra-conformance/dratest/suites/prove"
	"github.com/dra-conformance/dratest/suites/run"
)

func TestEachMutantHasCasesThatMayNotice(t *testing.T) {
	metas := run.Metas(suites.All())
	for _, m := range load(t) {
		if trial := m.Trial(metas); len(trial.Must) == 0 {
			t.Errorf("no case claims what mutant %s breaks: %v", m.ID, m.Requires)
		}
	}
}

func TestJudge(t *testing.T) {
	for _, row := range []struct {
		name     string
		statuses []spec.Status
		want     prove.Finding
	}{
		{"one of two fails", []spec.Status{spec.Failed, spec.Passed}, prove.Finding{Shown: true, By: []string{"a"}, Note: "said so"}},
		{"none fails", []spec.Status{spec.Passed, spec.Known}, prove.Finding{Missed: []string{"a", "b"}}},
		{"one passes, one cannot run", []spec.Status{spec.Passed, spec.NotApplicable}, prove.Finding{Missed: []string{"a"}, Note: "the cluster does not have what these need: b"}},
		{"none can run", []spec.Status{spec.NotApplicable}, prove.Finding{NotApplicable: true, Note: "the cluster does not have what these need: a"}},
		{"one is blocked", []spec.Status{spec.Blocked}, prove.Finding{Problem: "cases did not come to their end: a: why"}},
		{"one is blocked, one fails", []spec.Status{spec.Blocked, spec.Failed}, prove.Finding{Shown: true, By: []string{"b"}, Note: "said so"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var r schema.Report
			for i, s := range row.statuses {
				r.Cases = append(r.Cases, schema.Case{ID: string(rune('a' + i)), Status: s, Reason: "why", Failure: "said so\nand more"})
			}
			if diff := cmp.Diff(row.want, judge(r)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}
