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
			if diff := cmp.Diff(row.want, Judge(r)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

func TestCasesThatAreNotBelievedAtOnce(t *testing.T) {
	report := func(cases ...schema.Case) schema.Report { return schema.Report{Cases: cases} }
	failed := func(id, says string) schema.Case { return schema.Case{ID: id, Status: spec.Failed, Failure: says} }
	const late = "wait for pod pod: the case took longer than 30s"
	for name, row := range map[string]struct {
		with  schema.Report
		sound []string
		doubt []string
	}{
		"it has never passed":        {report(failed("a", "wrong")), nil, []string{"a"}},
		"it has":                     {report(failed("a", "wrong")), []string{"a"}, nil},
		"it has, and now it is late": {report(failed("a", late)), []string{"a"}, []string{"a"}},
		"only one is late":           {report(failed("a", late), failed("b", "wrong")), []string{"a", "b"}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			sound := map[string]bool{}
			for _, id := range row.sound {
				sound[id] = true
			}
			if diff := cmp.Diff(row.doubt, Doubtful(Judge(row.with), row.with, sound)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What a case says that does not stay is none of the finding's.
func TestConfirm(t *testing.T) {
	with := schema.Report{Cases: []schema.Case{
		{ID: "a", Status: spec.Failed, Failure: "a says\nmore"}, {ID: "b", Status: spec.Failed, Failure: "b says\nmore"},
	}}
	for name, row := range map[string]struct {
		a, b spec.Status
		want prove.Finding
	}{
		"both pass":    {spec.Passed, spec.Passed, prove.Finding{Shown: true, By: []string{"a", "b"}, Note: "a says"}},
		"one passes":   {spec.Failed, spec.Passed, prove.Finding{Shown: true, By: []string{"b"}, Note: "b says"}},
		"neither does": {spec.Blocked, spec.Failed, prove.Finding{By: []string{}, Problem: "b does not pass without the mutant either: Failed late"}},
	} {
		t.Run(name, func(t *testing.T) {
			without := schema.Report{Cases: []schema.Case{{ID: "a", Status: row.a}, {ID: "b", Status: row.b, Failure: "late"}}}
			if diff := cmp.Diff(row.want, Confirm(Judge(with), with, without)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCasesThatRestartComponentsSayNothingOfACrash(t *testing.T) {
	metas := []spec.Meta{{ID: "quiet"}, {ID: "kubelet", Needs: spec.Needs{Disruption: true}}, {ID: "node", Needs: spec.Needs{Restarts: spec.Worker}}}
	for name, row := range map[string]struct {
		c    schema.Case
		want bool
	}{
		"restarts nothing":   {schema.Case{ID: "quiet", Status: spec.Failed}, false},
		"restarts a kubelet": {schema.Case{ID: "kubelet", Status: spec.Failed}, true},
		"restarts a node":    {schema.Case{ID: "node", Status: spec.Passed}, true},
		"cannot run":         {schema.Case{ID: "node", Status: spec.NotApplicable}, false},
	} {
		if got := restarting(metas, schema.Report{Cases: []schema.Case{row.c}}); got != row.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
