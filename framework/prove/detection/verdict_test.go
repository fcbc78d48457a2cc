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
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestJudge(t *testing.T) {
	for _, row := range []struct {
		name     string
		statuses []spec.Status
		want     prove.Finding
	}{
		{"one of two fails", []spec.Status{spec.Failed, spec.Passed}, prove.Finding{Detected: true, By: []string{"a"}}},
		{"none fails", []spec.Status{spec.Passed, spec.Known}, prove.Finding{Missed: []string{"a", "b"}}},
		{"one passes, one cannot run", []spec.Status{spec.Passed, spec.NotApplicable}, prove.Finding{Missed: []string{"a"}, Unable: []string{"b"}, Note: "the cluster does not have what these need: b"}},
		{"none can run", []spec.Status{spec.NotApplicable}, prove.Finding{NotApplicable: true, Unable: []string{"a"}, Note: "the cluster does not have what these need: a"}},
		{"one is blocked", []spec.Status{spec.Blocked}, prove.Finding{Problem: "cases did not come to their end: a: why"}},
		{"one passes, one is blocked", []spec.Status{spec.Passed, spec.Blocked}, prove.Finding{Missed: []string{"a"}, Problem: "cases did not come to their end: b: why"}},
		{"one is blocked, one fails", []spec.Status{spec.Blocked, spec.Failed}, prove.Finding{Detected: true, By: []string{"b"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var r schema.Report
			for i, s := range row.statuses {
				r.Cases = append(r.Cases, schema.Case{ID: string(rune('a' + i)), Status: s, Reason: "why", Failure: "said so\nand more"})
			}
			if diff := cmp.Diff(row.want, judge(r, false)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

func TestWhatCannotBeCleanedUpIsNoKill(t *testing.T) {
	r := schema.Report{Cases: []schema.Case{{ID: "a", Status: spec.Failed, Failure: "clean up: remove claims: not after 1m0s"}}}
	if diff := cmp.Diff(prove.Finding{Missed: []string{"a"}}, judge(r, false)); diff != "" {
		t.Error(diff)
	}
}

// Each case should detect something: a detection by one must not hide that of another one.
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
		report, err := inTurn(row.trial.Must, row.trial.Quiet, func(cases []string, all bool) (r schema.Report, err error) {
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
		if diff := cmp.Diff(row.by, judge(report, false).By); diff != "" {
			t.Errorf("%s: who noticed, want -, got +:\n%s", name, diff)
		}
	}
}

func TestAllMustNotice(t *testing.T) {
	for _, row := range []struct {
		name     string
		statuses []spec.Status
		problems []string
		want     prove.Finding
	}{
		{"all fail", []spec.Status{spec.Failed, spec.Failed}, nil, prove.Finding{Detected: true, By: []string{"a", "b"}}},
		{"one passes", []spec.Status{spec.Failed, spec.Passed}, nil, prove.Finding{By: []string{"a"}, Missed: []string{"b"}}},
		{"one sees what Kubernetes is known for", []spec.Status{spec.Failed, "KnownSomething"}, nil, prove.Finding{By: []string{"a"}, Missed: []string{"b"}}},
		{"one cannot run", []spec.Status{spec.NotApplicable, spec.Failed}, nil, prove.Finding{Detected: true, By: []string{"b"}, Note: "the cluster does not have what these need: a"}},
		{"none can run", []spec.Status{spec.NotApplicable}, nil, prove.Finding{NotApplicable: true, Note: "the cluster does not have what these need: a"}},
		{"some pass, some cannot run", []spec.Status{spec.NotApplicable, spec.Passed}, nil, prove.Finding{Missed: []string{"b"}, Note: "the cluster does not have what these need: a"}},
		{"nothing ran", nil, nil, prove.Finding{}},
		{"one is blocked", []spec.Status{spec.Failed, spec.Blocked}, nil, prove.Finding{Detected: true, By: []string{"a"}, Problem: "cases did not come to their end: b: why"}},
		{"one is blocked, one passes", []spec.Status{spec.Passed, spec.Blocked}, nil, prove.Finding{Missed: []string{"a"}}},
		{"the run had a problem", []spec.Status{spec.Failed}, []string{"no output"}, prove.Finding{Detected: true, By: []string{"a"}, Problem: "cases did not come to their end: no output"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := schema.Report{Problems: row.problems}
			for i, s := range row.statuses {
				r.Cases = append(r.Cases, schema.Case{ID: string(rune('a' + i)), Status: s, Reason: "why"})
			}
			if diff := cmp.Diff(row.want, judge(r, true)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}
