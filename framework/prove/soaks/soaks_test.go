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

package soaks

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/faults"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestEachFaultHasARule(t *testing.T) {
	p := Proof()
	if len(p.Trials) != len(faults.Injections()) {
		t.Errorf("%d trials for %d faults", len(p.Trials), len(faults.Injections()))
	}
	for _, trial := range p.Trials {
		if len(trial.Must) != 1 || trial.Must[0] == "" {
			t.Errorf("no rule must be violated after %s", trial.ID)
		}
	}
}

func TestLoadCanBeSoaked(t *testing.T) {
	o := Load(soak.Options{})
	o.Faults = []soak.Fault{faults.Inject{}}
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
}

func TestJudge(t *testing.T) {
	trial := prove.Trial{ID: "stuck-pod", Must: []string{string(audit.PodStuck)}}
	found := func(warning bool, rules ...audit.Rule) []soak.Finding {
		var all []soak.Finding
		for _, r := range rules {
			f := soak.Finding{Warning: warning}
			f.Rule = r
			all = append(all, f)
		}
		return all
	}
	stuck := []string{string(audit.PodStuck)}
	for _, row := range []struct {
		name    string
		summary soak.Summary
		want    prove.Finding
	}{
		{"noticed twice", soak.Summary{Verdict: schema.Failed, Findings: found(false, audit.PodStuck, audit.PodStuck)}, prove.Finding{Detected: true, By: stuck}},
		{"noticed, and something else", soak.Summary{Verdict: schema.Failed, Findings: found(false, audit.PodFailed, audit.PodStuck)}, prove.Finding{Detected: true, By: stuck, Note: "also found: pod-failed"}},
		{"something else only", soak.Summary{Verdict: schema.Failed, Findings: found(false, audit.PodFailed)}, prove.Finding{Missed: stuck, Note: "also found: pod-failed"}},
		{"a warning only", soak.Summary{Verdict: schema.Passed, Findings: found(true, audit.PodStuck)}, prove.Finding{Missed: stuck}},
		{"nothing", soak.Summary{Verdict: schema.Passed}, prove.Finding{Missed: stuck}},
		{"incomplete", soak.Summary{Verdict: schema.Incomplete, Problems: []string{"no answer"}}, prove.Finding{Missed: stuck, Problem: "the soak is incomplete: no answer"}},
		// On a busy machine drivers could not be read, while stuck pods failed the soak.
		{"something else, but not all was read", soak.Summary{Verdict: schema.Failed, Findings: found(false, audit.PodFailed), Problems: []string{"no answer"}}, prove.Finding{Missed: stuck, Note: "also found: pod-failed", Problem: "the soak is incomplete: no answer"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, judge(trial, row.summary)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}
