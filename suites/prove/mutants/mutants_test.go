package mutants

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/suites"
	"github.com/dra-conformance/dratest/suites/prove"
	"github.com/dra-conformance/dratest/suites/prove/apiserver"
	"github.com/dra-conformance/dratest/suites/prove/components"
	"github.com/dra-conformance/dratest/suites/run"
)

func TestEachMutantIsATrialThatCasesMustNotice(t *testing.T) {
	ofComponents, err := components.Load()
	if err != nil {
		t.Fatal(err)
	}
	ofAPI, err := apiserver.Load()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Proof(run.Metas(suites.All()), ofComponents, ofAPI)
	if err != nil || len(p.Trials) != len(spec.Mutants())+len(ofComponents)+len(ofAPI) || len(ofComponents) < 60 {
		t.Fatalf("got %d trials, %v", len(p.Trials), err)
	}
	for _, trial := range p.Trials {
		if len(trial.Must) == 0 || trial.What == "" {
			t.Errorf("trial %+v", trial)
		}
	}
}

func TestJudge(t *testing.T) {
	for _, row := range []struct {
		name     string
		statuses []spec.Status
		problems []string
		want     prove.Finding
	}{
		{"all fail", []spec.Status{spec.Failed, spec.Failed}, nil, prove.Finding{Shown: true, By: []string{"a", "b"}}},
		{"one passes", []spec.Status{spec.Failed, spec.Passed}, nil, prove.Finding{By: []string{"a"}, Missed: []string{"b"}}},
		{"one sees what Kubernetes is known for", []spec.Status{spec.Failed, "KnownSomething"}, nil, prove.Finding{By: []string{"a"}, Missed: []string{"b"}}},
		{"one cannot run", []spec.Status{spec.NotApplicable, spec.Failed}, nil, prove.Finding{Shown: true, By: []string{"b"}, Note: "the cluster does not have what these need: a"}},
		{"none can run", []spec.Status{spec.NotApplicable}, nil, prove.Finding{NotApplicable: true, Note: "the cluster does not have what these need: a"}},
		{"some pass, some cannot run", []spec.Status{spec.NotApplicable, spec.Passed}, nil, prove.Finding{Missed: []string{"b"}, Note: "the cluster does not have what these need: a"}},
		{"nothing ran", nil, nil, prove.Finding{}},
		{"one is blocked", []spec.Status{spec.Failed, spec.Blocked}, nil, prove.Finding{Shown: true, By: []string{"a"}, Problem: "cases did not come to their end: b: why"}},
		{"one is blocked, one passes", []spec.Status{spec.Passed, spec.Blocked}, nil, prove.Finding{Missed: []string{"a"}}},
		{"the run had a problem", []spec.Status{spec.Failed}, []string{"no output"}, prove.Finding{Shown: true, By: []string{"a"}, Problem: "cases did not come to their end: no output"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := schema.Report{Problems: row.problems}
			for i, s := range row.statuses {
				r.Cases = append(r.Cases, schema.Case{ID: string(rune('a' + i)), Status: s, Reason: "why"})
			}
			if diff := cmp.Diff(row.want, judge(r)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}
