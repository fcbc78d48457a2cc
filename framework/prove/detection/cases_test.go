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

package detection

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestCasesThatStartProgramsHaveMoreTime(t *testing.T) {
	metas := []spec.Meta{{ID: "plain"}, {ID: "beside", Needs: spec.Needs{Companions: []spec.Companion{"x"}}}, {ID: "other", Needs: spec.Needs{Companions: []spec.Companion{"y"}}}}
	for _, row := range []struct {
		cases    []string
		provider string
		want     time.Duration
	}{
		{[]string{"plain"}, clusters.ProviderKind, nodeLimit},
		{[]string{"plain"}, clusters.ProviderControlPlane, simulationLimit},
		{[]string{"plain", "beside"}, clusters.ProviderControlPlane, startedLimit},
		{[]string{"beside"}, clusters.ProviderKind, startedLimit},
		{[]string{"other"}, clusters.ProviderKind, startedLimit},
	} {
		if got := limit(metas, row.cases, row.provider); got != row.want {
			t.Errorf("%v with %s: got %s", row.cases, row.provider, got)
		}
	}
}

// before has the results of cases without a mutant.
func before(status ...spec.Status) *Cases {
	c := &Cases{without: map[string]schema.Case{}, messages: map[string]string{}}
	for i, s := range status {
		id := string(rune('a' + i))
		c.without[id] = schema.Case{ID: id, Status: s, Failure: "broken"}
	}
	return c
}

// A case that never passes kept all of its mutants inconclusive.
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
		"one cannot run here":      {[]spec.Status{spec.NotApplicable, spec.Passed, spec.Failed}, []string{"a", "b"}, ""},
		"none can run here":        {[]spec.Status{spec.NotApplicable, spec.NotApplicable, spec.NotApplicable}, cases, ""},
		"one cannot, others fail":  {[]spec.Status{spec.NotApplicable, spec.Failed, spec.Failed}, nil, "b does not pass without the mutant either: Failed broken; c does not pass without the mutant either: Failed broken"},
		"none does, nothing known": {[]spec.Status{spec.Failed, spec.Failed, spec.Failed}, nil, "a does not pass without the mutant either: Failed broken; b does not pass without the mutant either: Failed broken; c does not pass without the mutant either: Failed broken"},
	} {
		t.Run(name, func(t *testing.T) {
			sound, problem, err := before(row.without...).sound(t.Context(), cases, t.TempDir())
			if diff := cmp.Diff(row.want, sound) + cmp.Diff(row.problem, problem); diff != "" || err != nil {
				t.Errorf("%v, want -, got +:\n%s", err, diff)
			}
		})
	}
}

// The message of a discarded case is not part of the finding.
func TestVerdict(t *testing.T) {
	failed := func(id, message string) schema.Case {
		return schema.Case{ID: id, Status: spec.Failed, Failure: message + "\nmore"}
	}
	both := schema.Report{Cases: []schema.Case{failed("a", "a says"), failed("b", "b says")}}
	oneLate := schema.Report{Cases: []schema.Case{failed("a", "wait for pod pod: the case took longer than 30s"), failed("b", "b says")}}
	onlyB := schema.Report{Cases: []schema.Case{{ID: "a", Status: spec.NotApplicable}, failed("b", "b says")}}
	passed := schema.Report{Cases: []schema.Case{{ID: "b", Status: spec.Passed}}}
	for name, row := range map[string]struct {
		without  []spec.Status
		with     schema.Report
		all      bool
		messages string // by b, of the mutant before
		again    []spec.Status
		runs     []string
		want     prove.Finding
	}{
		"both stand":    {[]spec.Status{spec.Passed, spec.Passed}, both, false, "", nil, nil, prove.Finding{Detected: true, By: []string{"a", "b"}, Note: "a says"}},
		"one is known":  {[]spec.Status{spec.Known, spec.Passed}, both, false, "", nil, nil, prove.Finding{Detected: true, By: []string{"a", "b"}, Note: "a says"}},
		"one stands":    {[]spec.Status{spec.Failed, spec.Passed}, both, false, "", nil, nil, prove.Finding{Detected: true, By: []string{"b"}, Note: "b says\na does not pass without the mutant either: Failed broken"}},
		"neither":       {[]spec.Status{spec.Failed, spec.Blocked}, both, false, "", nil, nil, prove.Finding{By: []string{}, Problem: "a does not pass without the mutant either: Failed broken; b does not pass without the mutant either: Blocked broken"}},
		"no control":    {[]spec.Status{spec.Passed}, both, false, "", nil, nil, prove.Finding{Detected: true, By: []string{"a"}, Note: "a says\nb does not pass without the mutant either:  "}},
		"all, and do":   {[]spec.Status{spec.Passed, spec.Passed}, both, true, "", nil, nil, prove.Finding{Detected: true, By: []string{"a", "b"}, Note: "a says"}},
		"all, one left": {[]spec.Status{spec.NotApplicable, spec.Passed}, onlyB, true, "", nil, nil, prove.Finding{Detected: true, By: []string{"b"}, Note: "b says\nthe cluster does not have what these need: a"}},
		"all, one does": {[]spec.Status{spec.Passed, spec.Failed}, both, true, "", nil, nil, prove.Finding{By: []string{"a"}, Note: "a says", Problem: "b does not pass without the mutant either: Failed broken"}},
		"one left out":  {[]spec.Status{spec.Failed, spec.Passed}, passed, false, "", nil, nil, prove.Finding{Missed: []string{"b"}, Problem: "a does not pass without the mutant either: Failed broken"}},
		"late":          {[]spec.Status{spec.Passed, spec.Passed}, oneLate, false, "", []spec.Status{spec.Passed}, []string{"a"}, prove.Finding{Detected: true, By: []string{"a", "b"}, Note: "wait for pod pod: the case took longer than 30s"}},
		"late, always":  {[]spec.Status{spec.Passed, spec.Passed}, oneLate, false, "", []spec.Status{spec.Failed}, []string{"a"}, prove.Finding{Detected: true, By: []string{"b"}, Note: "b says\na does not pass without the mutant either: Failed broken"}},
		"the same":      {[]spec.Status{spec.Passed, spec.Passed}, both, false, "b says", []spec.Status{spec.Passed, spec.Failed}, []string{"b"}, prove.Finding{Detected: true, By: []string{"a"}, Note: "a says\nb does not pass without the mutant either: Failed broken"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := before(row.without...)
			c.messages["b"] = row.messages
			var runs []string
			c.control = func(cases []string) (schema.Report, error) {
				runs = cases
				now := before(row.again...).without
				var r schema.Report
				for _, id := range cases {
					r.Cases = append(r.Cases, now[id])
				}
				return r, nil
			}
			got, err := c.verdict(t.Context(), prove.Trial{Must: []string{"a", "b"}, All: row.all}, row.with, t.TempDir())
			if diff := cmp.Diff(row.want, got) + cmp.Diff(row.runs, runs); diff != "" || err != nil {
				t.Errorf("%v, want -, got +:\n%s", err, diff)
			}
		})
	}
}
