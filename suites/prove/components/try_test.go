package components

import (
	"errors"
	"slices"
	"strings"
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

// Each case is to notice something: a kill by one of them must not hide that of another one.
func TestQuietCasesAllRunBeforeTheOthers(t *testing.T) {
	trial := prove.Trial{Must: []string{"a", "b", "c", "d"}, Quiet: []string{"b", "d"}}
	allQuiet := prove.Trial{Must: []string{"b", "d"}, Quiet: []string{"b", "d"}}
	for name, row := range map[string]struct {
		trial prove.Trial
		fails []string
		runs  []string
		by    []string
	}{
		"two quiet ones notice": {trial, []string{"a", "b", "d"}, []string{"b,d all"}, []string{"b", "d"}},
		"one quiet one notices": {trial, []string{"d"}, []string{"b,d all"}, []string{"d"}},
		"only others notice":    {trial, []string{"c"}, []string{"b,d all", "a,c"}, []string{"c"}},
		"nobody notices":        {trial, nil, []string{"b,d all", "a,c"}, nil},
		"nobody is quiet":       {prove.Trial{Must: []string{"a", "b"}}, []string{"a"}, []string{"a,b"}, []string{"a"}},
		"nobody else could":     {allQuiet, nil, []string{"b,d all"}, nil},
		"quiet ones cannot run": {trial, []string{"a"}, []string{"b,d all", "a,c"}, []string{"a"}},
		"a run ends in trouble": {trial, []string{"trouble"}, []string{"b,d all"}, nil},
	} {
		var runs []string
		report, err := inTurn(row.trial, func(cases []string, all bool) (r schema.Report, err error) {
			for _, id := range cases {
				c := schema.Case{ID: id, Status: spec.Passed}
				if slices.Contains(row.fails, id) {
					c.Status = spec.Failed
				} else if name == "quiet ones cannot run" && all {
					c.Status = spec.NotApplicable
				}
				r.Cases = append(r.Cases, c)
			}
			what := strings.Join(cases, ",")
			if all {
				what += " all"
			}
			runs = append(runs, what)
			if slices.Contains(row.fails, "trouble") {
				err = errors.New("trouble")
			}
			return r, err
		})
		if diff := cmp.Diff(row.runs, runs); diff != "" || (err != nil) != slices.Contains(row.fails, "trouble") {
			t.Errorf("%s: got %v, want -, got +:\n%s", name, err, diff)
		}
		if diff := cmp.Diff(row.by, Judge(report).By); diff != "" {
			t.Errorf("%s: who noticed, want -, got +:\n%s", name, diff)
		}
	}
}

func TestWhoHasToRunWithoutTheMutant(t *testing.T) {
	with := schema.Report{Cases: []schema.Case{
		{ID: "a", Status: spec.Failed, Failure: "a says"}, {ID: "b", Status: spec.Failed, Failure: "b says"},
	}}
	all := prove.Finding{Shown: true, By: []string{"a", "b"}, Note: "a says"}
	for name, row := range map[string]struct {
		doubt, quiet []string
		want         prove.Finding
		left         []string
	}{
		"nobody is in doubt":            {nil, []string{"a"}, all, nil},
		"one is enough":                 {[]string{"a"}, nil, prove.Finding{Shown: true, By: []string{"b"}, Note: "b says"}, nil},
		"one is in doubt that is quiet": {[]string{"a"}, []string{"a"}, all, []string{"a"}},
		"all are in doubt":              {[]string{"a", "b"}, nil, all, []string{"a", "b"}},
	} {
		got, left := believe(Judge(with), with, row.doubt, row.quiet)
		if diff := cmp.Diff(row.want, got) + cmp.Diff(row.left, left); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", name, diff)
		}
	}
}

func TestWhatCannotBeCleanedUpIsNoKill(t *testing.T) {
	r := schema.Report{Cases: []schema.Case{{ID: "a", Status: spec.Failed, Failure: "clean up: remove claims: not after 1m0s"}}}
	if diff := cmp.Diff(prove.Finding{Missed: []string{"a"}}, Judge(r)); diff != "" {
		t.Error(diff)
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
		"both pass":              {spec.Passed, spec.Passed, prove.Finding{Shown: true, By: []string{"a", "b"}, Note: "a says"}},
		"one passes":             {spec.Failed, spec.Passed, prove.Finding{Shown: true, By: []string{"b"}, Note: "b says"}},
		"neither does":           {spec.Blocked, spec.Failed, prove.Finding{By: []string{}, Problem: "b does not pass without the mutant either: Failed late"}},
		"one sees what is known": {spec.Known, spec.Failed, prove.Finding{Shown: true, By: []string{"a"}, Note: "a says"}},
		"one was beyond doubt":   {"", spec.Failed, prove.Finding{Shown: true, By: []string{"a"}, Note: "a says"}},
	} {
		t.Run(name, func(t *testing.T) {
			without := schema.Report{Cases: []schema.Case{{ID: "a", Status: row.a}, {ID: "b", Status: row.b, Failure: "late"}}}
			if row.a == "" {
				without.Cases = without.Cases[1:]
			}
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
