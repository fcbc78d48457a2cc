package kills

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/suites/prove"
)

func TestCasesThatStartProgramsHaveMoreTime(t *testing.T) {
	metas := []spec.Meta{{ID: "plain"}, {ID: "classic", Needs: spec.Needs{Classic: true}}, {ID: "fabric", Needs: spec.Needs{Composable: true}}, {ID: "whatif", Needs: spec.Needs{WhatIf: true}}}
	for _, row := range []struct {
		cases    []string
		provider string
		want     time.Duration
	}{
		{[]string{"plain"}, clusters.ProviderKind, nodeLimit},
		{[]string{"plain"}, clusters.ProviderControlPlane, simulationLimit},
		{[]string{"plain", "classic"}, clusters.ProviderControlPlane, startedLimit},
		{[]string{"fabric"}, clusters.ProviderKind, startedLimit},
		{[]string{"whatif"}, clusters.ProviderKind, startedLimit},
	} {
		if got := limit(metas, row.cases, row.provider); got != row.want {
			t.Errorf("%v with %s: got %s", row.cases, row.provider, got)
		}
	}
}

// before are cases that have run without a mutant.
func before(status ...spec.Status) *Cases {
	c := &Cases{without: map[string]schema.Case{}}
	for i, s := range status {
		id := string(rune('a' + i))
		c.without[id] = schema.Case{ID: id, Status: s, Failure: "broken"}
	}
	return c
}

// A case that never passes kept all mutants that it may notice from a verdict.
func TestCasesThatDoNotPassWithoutAMutantAreLeftOut(t *testing.T) {
	cases := []string{"a", "b", "c"}
	for name, row := range map[string]struct {
		without []spec.Status
		want    []string
		problem string
	}{
		"all pass":                 {[]spec.Status{spec.Passed, spec.Passed, spec.Passed}, cases, ""},
		"one does not":             {[]spec.Status{spec.Passed, spec.Failed, spec.Passed}, []string{"a", "c"}, ""},
		"one sees a known issue":   {[]spec.Status{spec.Known, spec.Blocked, spec.Failed}, []string{"a"}, ""},
		"one cannot run here":      {[]spec.Status{spec.NotApplicable, spec.Failed, spec.Failed}, []string{"a"}, ""},
		"none does, nothing known": {[]spec.Status{spec.Failed, spec.Failed, spec.Failed}, nil, "a does not pass without the mutant either: Failed broken; b does not pass without the mutant either: Failed broken; c does not pass without the mutant either: Failed broken"},
	} {
		t.Run(name, func(t *testing.T) {
			sound, f, err := before(row.without...).Sound(t.Context(), cases, t.TempDir())
			if diff := cmp.Diff(row.want, sound) + cmp.Diff(prove.Finding{Problem: row.problem}, f); diff != "" || err != nil {
				t.Errorf("%v, want -, got +:\n%s", err, diff)
			}
		})
	}
}

// What a case says that does not stand is none of the finding's.
func TestConfirm(t *testing.T) {
	with := schema.Report{Cases: []schema.Case{
		{ID: "a", Status: spec.Failed, Failure: "a says\nmore"}, {ID: "b", Status: spec.Failed, Failure: "b says\nmore"},
	}}
	for name, row := range map[string]struct {
		without []spec.Status
		all     bool
		want    prove.Finding
	}{
		"both stand":             {[]spec.Status{spec.Passed, spec.Passed}, false, prove.Finding{Shown: true, By: []string{"a", "b"}, Note: "a says"}},
		"one stands":             {[]spec.Status{spec.Failed, spec.Passed}, false, prove.Finding{Shown: true, By: []string{"b"}, Note: "b says"}},
		"one sees what is known": {[]spec.Status{spec.Known, spec.Failed}, false, prove.Finding{Shown: true, By: []string{"a"}, Note: "a says"}},
		"neither stands":         {[]spec.Status{spec.Failed, spec.Blocked}, false, prove.Finding{Problem: "b does not pass without the mutant either: Blocked broken"}},
		"all must, both stand":   {[]spec.Status{spec.Passed, spec.Passed}, true, prove.Finding{Shown: true, By: []string{"a", "b"}, Note: "a says"}},
		"all must, one stands":   {[]spec.Status{spec.Passed, spec.Failed}, true, prove.Finding{By: []string{"a"}, Note: "a says", Problem: "b does not pass without the mutant either: Failed broken"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := before(row.without...)
			c.All = row.all
			got, err := c.Confirm(t.Context(), Judge(with), with, t.TempDir())
			if diff := cmp.Diff(row.want, got); diff != "" || err != nil {
				t.Errorf("%v, want -, got +:\n%s", err, diff)
			}
		})
	}
}
