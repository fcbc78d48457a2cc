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

package reports_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// metas returns two core cases and two cases of a feature.
func metas() []spec.Meta {
	taints := spec.Needs{Features: []spec.Feature{spec.DeviceTaints}}
	return []spec.Meta{
		{ID: "core/a", Requires: []spec.RequirementID{"k/must"}},
		{ID: "core/b", Requires: []spec.RequirementID{"k/must"}},
		{ID: "eviction/a", Requires: []spec.RequirementID{"k/must"}, Needs: taints},
		{ID: "eviction/b", Requires: []spec.RequirementID{"k/should"}, Needs: taints},
	}
}

// conformance returns the report of a run with selected cases and outcomes.
func conformance(target spec.Target, selected []string, skips map[string]spec.SkipCode, outcomes ...spec.Outcome) schema.ConformanceReport {
	plan := spec.Plan{Target: target}
	for _, m := range metas() {
		for _, id := range selected {
			if m.ID != id {
				continue
			}
			e := spec.Entry{Meta: m}
			if code := skips[id]; code != "" {
				e.Skip = &spec.Skip{Code: code, Text: "because"}
			}
			plan.Entries = append(plan.Entries, e)
		}
	}
	required := schema.Required(metas(), levels)
	r := reports.Judge(reports.Build(plan, outcomes, reports.Info{Requirements: levels}), cluster, required)
	return reports.Conformance(r, outcomes, reports.Facts{Required: required})
}

var cluster = schema.RunProfile{Name: spec.ClusterTarget, Version: "v1"}

func everything() []string { return []string{"core/a", "core/b", "eviction/a", "eviction/b"} }

func passed(ids ...string) []spec.Outcome {
	var all []spec.Outcome
	for _, id := range ids {
		all = append(all, outcome(id, spec.Passed, time.Second))
	}
	return all
}

// The command line in a published report contained the password of a registry.
func TestCommandWithoutCredentials(t *testing.T) {
	command := []string{"dratest", "run", "--image-registry=https://robot:hunter2@registry.example/x", "--url", "https://example.com/a@b"}
	want := []string{"dratest", "run", "--image-registry=https://registry.example/x", "--url", "https://example.com/a@b"}
	c := reports.Conformance(schema.Report{}, nil, reports.Facts{Command: command})
	if diff := cmp.Diff(want, c.Run.Command); diff != "" {
		t.Error(diff)
	}
}

func TestProfiles(t *testing.T) {
	on := spec.Target{Kubernetes: "v1.37.1", Gates: map[spec.Feature]bool{spec.DeviceTaints: true}}
	off := spec.Target{Kubernetes: "v1.37.1", Gates: map[spec.Feature]bool{spec.DeviceTaints: false}}
	published := spec.Target{Kubernetes: "v1.37.1", Gates: off.Gates, Observed: map[spec.Feature]string{spec.DeviceTaints: "resourceslice x"}}
	unseen := spec.Target{Kubernetes: "v1.37.1", GatesUnseen: "forbidden"}
	noFeature := map[string]spec.SkipCode{"eviction/a": spec.SkipFeature, "eviction/b": spec.SkipFeature}
	core := []string{"core/a", "core/b"}
	for name, tc := range map[string]struct {
		got    schema.ConformanceReport
		result schema.Result
		core   schema.Result
		taints schema.Result
	}{
		"all pass":                            {conformance(on, everything(), nil, passed(everything()...)...), schema.ResultPassed, schema.ResultPassed, schema.ResultPassed},
		"the cluster has no such feature":     {conformance(off, everything(), noFeature, passed(core...)...), schema.ResultPassed, schema.ResultPassed, schema.ResultNotApplicable},
		"nor was it asked for":                {conformance(off, core, nil, passed(core...)...), schema.ResultPassed, schema.ResultPassed, schema.ResultNotApplicable},
		"its gate is on, and it was left out": {conformance(on, core, nil, passed(core...)...), schema.ResultIncomplete, schema.ResultPassed, schema.ResultIncomplete},
		"a slice uses what was left out":      {conformance(published, core, nil, passed(core...)...), schema.ResultIncomplete, schema.ResultPassed, schema.ResultIncomplete},
		"it cannot be seen, and was left out": {conformance(unseen, core, nil, passed(core...)...), schema.ResultIncomplete, schema.ResultPassed, schema.ResultIncomplete},
		"a part of the core was left out":     {conformance(off, []string{"core/a"}, nil, passed("core/a")...), schema.ResultIncomplete, schema.ResultIncomplete, schema.ResultNotApplicable},
		"too few nodes for a part of the core": {conformance(off, core, map[string]spec.SkipCode{"core/b": spec.SkipNodes}, passed("core/a")...),
			schema.ResultIncomplete, schema.ResultIncomplete, schema.ResultNotApplicable},
		"one fails": {conformance(on, everything(), nil, append(passed("core/a", "core/b", "eviction/b"), outcome("eviction/a", spec.Failed, time.Second))...),
			schema.ResultFailed, schema.ResultPassed, schema.ResultFailed},
		"what fails is a warning": {conformance(on, everything(), nil, append(passed("core/a", "core/b", "eviction/a"), outcome("eviction/b", spec.Failed, time.Second))...),
			schema.ResultPassed, schema.ResultPassed, schema.ResultPassed},
		"one needs a second attempt": {conformance(off, core, nil, append([]spec.Outcome{outcome("core/a", spec.Failed, time.Second)}, passed(core...)...)...),
			schema.ResultIncomplete, schema.ResultIncomplete, schema.ResultNotApplicable},
		"one has no outcome": {conformance(off, core, nil, passed("core/a")...), schema.ResultIncomplete, schema.ResultIncomplete, schema.ResultNotApplicable},
	} {
		t.Run(name, func(t *testing.T) {
			if len(tc.got.Profiles) != 2 || tc.got.Profiles[0].Result != tc.core || tc.got.Profiles[1].Result != tc.taints || tc.got.Result != tc.result {
				t.Errorf("got %s, %+v", tc.got.Result, tc.got.Profiles)
			}
			if (tc.got.Result == schema.ResultPassed) != (len(tc.got.Reasons) == 0) {
				t.Errorf("%s with reasons %q", tc.got.Result, tc.got.Reasons)
			}
			if len(tc.got.Cases) != len(metas()) {
				t.Errorf("%d cases", len(tc.got.Cases))
			}
		})
	}
}

// Checks of a driver's contract find out while they run that the driver has nothing for them. That is no shortfall,
// except of the basic ones.
func TestChecksWithNothingToCheck(t *testing.T) {
	driver := schema.RunProfile{Name: spec.DriverTarget, Version: "v1"}
	for id, want := range map[string]schema.Result{"sanity/shares": schema.ResultPassed, spec.BasicContract()[0]: schema.ResultIncomplete} {
		list := []schema.RequiredCase{{ID: "core/a", Profiles: []spec.ConformanceProfile{driver.Name}}, {ID: id, Profiles: []spec.ConformanceProfile{driver.Name}}}
		plan := spec.Plan{Entries: []spec.Entry{{Meta: spec.Meta{ID: "core/a"}}, {Meta: spec.Meta{ID: id}}}}
		r := reports.Judge(reports.Build(plan, []spec.Outcome{outcome("core/a", spec.Passed, 0), {ID: id, Status: spec.NotApplicable, Reason: "needs shares"}}, reports.Info{}), driver, list)
		if r.Result != want || (len(r.Reasons) > 0) != (want != schema.ResultPassed) || r.Cases[1].SkipCode != spec.SkipCheck {
			t.Errorf("%s: %s, %q, %q", id, r.Result, r.Reasons, r.Cases[1].SkipCode)
		}
	}
}

func TestBrokenDriverIsNoConformance(t *testing.T) {
	outcomes := passed("core/a", "core/b")
	plan := spec.Plan{Entries: []spec.Entry{{Meta: metas()[0]}, {Meta: metas()[1]}}}
	required := schema.Required(metas()[:2], nil)
	r := reports.Judge(reports.Build(plan, outcomes, reports.Info{Selection: schema.Selection{Mutant: "driver-x"}}), cluster, required)
	got := reports.Conformance(r, outcomes, reports.Facts{Required: required})
	if got.Result != schema.ResultIncomplete || !strings.Contains(strings.Join(got.Reasons, ""), "driver-x") {
		t.Errorf("%s %q", got.Result, got.Reasons)
	}
}

func TestRequired(t *testing.T) {
	required := schema.Required([]spec.Meta{
		{ID: "a/may", Requires: []spec.RequirementID{"k/may"}},
		{ID: "a/should", Requires: []spec.RequirementID{"k/may", "k/should"}},
		{ID: "a/must", Requires: []spec.RequirementID{"k/should", "k/must"}},
		{ID: "a/unknown", Requires: []spec.RequirementID{"k/nobody-knows"}, KnownIssue: &spec.KnownIssue{Issue: "kubernetes#1"}},
	}, levels)
	var got []spec.Level
	for _, r := range required {
		got = append(got, r.Level)
	}
	if d := cmp.Diff([]spec.Level{spec.May, spec.Should, spec.Must, spec.Must}, got); d != "" {
		t.Error(d)
	}
	digest := schema.RequiredDigest(required)
	required[3].KnownIssue = ""
	if schema.RequiredDigest(required) == digest {
		t.Error("what a case may be excused for is not part of the digest")
	}
}

func TestConformanceFileName(t *testing.T) {
	var r schema.ConformanceReport
	r.Cluster.Kubernetes, r.Driver.Name, r.Run.Started = "v1.37.1", "dra-sim", time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	if got := r.FileName(); got != "v1.37.1-dra-sim-2026-11-22-report.yaml" {
		t.Error(got)
	}
	r.Implementation = schema.Implementation{Project: "My Distribution/../x", Version: "v2"}
	if got := r.FileName(); got != "v1.37.1-my-distribution-..-x-v2-2026-11-22-report.yaml" {
		t.Error(got)
	}
}

func TestDecodeConformance(t *testing.T) {
	good := "apiVersion: dra-conformance.github.io/v1alpha1\nkind: ConformanceReport\n"
	for name, tc := range map[string]struct{ data, want string }{
		"good":          {good, ""},
		"older schema":  {strings.Replace(good, "v1alpha1", "v1alpha0", 1), "this dratest reads dra-conformance.github.io/v1alpha1"},
		"newer schema":  {strings.Replace(good, "v1alpha1", "v2", 1), "use the dratest that wrote the report"},
		"other kind":    {strings.Replace(good, "ConformanceReport", "Pod", 1), `its kind is "Pod"`},
		"unknown field": {good + "verified: true\n", "verified"},
		"twice":         {good + "kind: ConformanceReport\n", "already set"},
		"no YAML":       {"a: [", "decode"},
		"empty":         {"", `its kind is ""`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := schema.DecodeConformance([]byte(tc.data))
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
