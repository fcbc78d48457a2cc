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

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
)

// evidencePage is the page with both tables.
const evidencePage = "../../docs/evidence.md"

func documented(t *testing.T, cells ...string) {
	t.Helper()
	if row := "| " + strings.Join(cells, " | ") + " |\n"; !strings.Contains(readFile(t, evidencePage), row) {
		t.Errorf("%s has no row\n%s", evidencePage, row)
	}
}

// word is a word of the tables, or none.
func word(text string) string {
	if text == "" {
		return "none"
	}
	return "`" + text + "`"
}

// The verdict for each target and --profile if all cases that can run pass.
func TestWhatPassedNeeds(t *testing.T) {
	newest := versions.Newest().Kubernetes
	made := where{provider: clusters.ProviderKind, kubernetes: newest}
	plane := where{provider: clusters.ProviderControlPlane, kubernetes: newest}
	existing := where{provider: testbed.Existing, kubernetes: newest}
	whole := where{provider: testbed.Existing, kubernetes: newest, disruptive: true, restartNodes: true, made: true}
	job := where{provider: testbed.Existing, kubernetes: newest, disruptive: true, made: true, job: true}
	underTest := spec.DriverUnderTest{Driver: "gpu.example.com", Namespace: "gpu", DriverClass: spec.DriverClass{Class: "gpu", Nodes: []string{"a", "b"}, Devices: 8}}
	driver := where{provider: testbed.Existing, kubernetes: newest, disruptive: true, driver: &underTest}
	careful := where{provider: testbed.Existing, kubernetes: newest, driver: &underTest}
	selected := where{provider: clusters.ProviderKind, kubernetes: newest, filter: plan.Filter{Focus: []string{"^core/"}, Skip: []string{"^core/ended-pod$"}}}
	expecting := where{provider: clusters.ProviderKind, kubernetes: newest, expected: []string{"core/ended-pod"}}
	all, conformance, core := spec.SubsetAll, spec.SubsetConformance, spec.SubsetCore
	for _, row := range []struct {
		target  string
		where   where
		subset  spec.Subset
		profile string
		verdict schema.Result
		reason  string
		needs   string
	}{
		{"cluster of dratest", made, all, "cluster", "passed", "", "nothing else"},
		{"cluster of dratest", made, conformance, "cluster-conformance", "passed", "", "nothing else"},
		{"cluster of dratest", made, core, "cluster-core", "passed", "", "nothing else"},
		{"existing cluster", existing, all, "cluster", "incomplete", string(spec.SkipDisruption), "the flags and the control plane of the next row"},
		{"existing cluster with `--disruptive`, `--restart-nodes` and a control plane as dratest makes it", whole, all, "cluster", "passed", "", "nothing else"},
		{"existing cluster", existing, conformance, "cluster-conformance", "passed", "", "nothing else"},
		{"existing cluster", existing, core, "cluster-core", "passed", "", "nothing else"},
		{"existing cluster, in a Job", job, all, "cluster", "incomplete", string(spec.SkipDisruption), "a run from outside: the Job cannot restart its node"},
		{"existing cluster, in a Job", job, conformance, "cluster-conformance", "passed", "", "nothing else"},
		{"control plane", plane, all, "controlplane", "passed", "", "nothing else"},
		{"control plane", plane, conformance, "controlplane-conformance", "passed", "", "nothing else"},
		{"driver", careful, all, "driver", "incomplete", string(spec.SkipDisruption), "`--disruptive`"},
		{"driver with `--disruptive`", driver, all, "driver", "passed", "", "a [certificate](certify.md): what was seen besides the cases"},
		{"control plane", plane, core, "controlplane-core", "failed", "", "nodes: no case of it can run"},
		{"any, with `--focus`, `--skip` or `--label-filter`", selected, "", "", "passed", "", "nothing else: the selected cases alone are judged"},
		{"any, with `--expectations`", expecting, "", "", "passed", "", "nothing else: the other cases alone are judged"},
		{"any, with `--focus`, `--skip` or `--label-filter`", selected, all, "cluster", "incomplete", "left out by the filter", "all required cases"},
	} {
		t.Run(row.target+" "+string(row.subset), func(t *testing.T) {
			row.where.whose, row.where.filter.Profile = spec.Stock, row.subset
			p := row.where.planned(t)
			r := row.where.judged(p, outcomes(p), row.where.info())
			name := ""
			if r.Profile != nil {
				name = string(r.Profile.Name)
			}
			if r.Result != row.verdict || name != row.profile || !strings.Contains(strings.Join(r.Reasons, "\n"), row.reason) {
				t.Errorf("%s is %s: %q", r.Profile, r.Result, r.Reasons)
			}
			documented(t, row.target, word(string(row.subset)), word(row.profile), "`"+string(row.verdict)+"`", row.needs)
		})
	}
}

// The verdict for each outcome of one case if all others pass.
func TestWhatBecomesOfACase(t *testing.T) {
	w := where{provider: clusters.ProviderKind, kubernetes: versions.Newest().Kubernetes, whose: spec.Stock}
	metas := w.planned(t).Entries
	level := func(l spec.Level) string {
		for _, c := range known()[schema.EngineRun].Required {
			ran := slices.ContainsFunc(metas, func(e spec.Entry) bool { return e.Meta.ID == c.ID && e.Skip == nil })
			if c.Level == l && ran && c.KnownIssue == "" && slices.Contains(c.Profiles, spec.ClusterTarget) {
				return c.ID
			}
		}
		return ""
	}
	must, should, own, known := level(spec.Must), level(spec.Should), "fabric/bound-when-attached", knownOnNewest(w, metas)
	for _, row := range []struct {
		what    string
		change  func(*changed)
		outcome string
		verdict schema.Result
		code    int
	}{
		{"It passes", func(*changed) {}, "Passed", "passed", 0},
		{"It fails, and checks a MUST", func(c *changed) { c.set(must, spec.Failed) }, "Failed", "failed", 1},
		{"It fails, and checks no MUST", func(c *changed) { c.set(should, spec.Failed) }, "Failed, a warning", "passed", 0},
		{"It fails, and `--expectations` lists it", func(c *changed) { c.expected = []string{must}; c.set(must, spec.Failed) }, "Failed, expected", "passed", 0},
		{"It fails, and `--expectations` lists it, with `--profile`", func(c *changed) { c.subset = spec.SubsetAll; c.expected = []string{must}; c.set(must, spec.Failed) }, "Failed, expected", "incomplete", 4},
		{"It passes, and `--expectations` lists it", func(c *changed) { c.expected = []string{must}; c.set(must, spec.Passed) }, "Passed, unexpectedly", "passed", 0},
		{"It fails, and `--expectations` lists another one", func(c *changed) { c.expected = []string{should}; c.set(must, spec.Failed) }, "Failed", "failed", 1},
		{"It shows a known issue of Kubernetes", func(c *changed) { c.known(known) }, "KnownIssue", "passed", 0},
		{"It shows a known issue, with `--strict`", func(c *changed) { c.strict = true; c.known(known) }, "Failed", "failed", 1},
		{"It shows a known issue on a newer Kubernetes, not reviewed yet", func(c *changed) { c.kubernetes = unreviewed; c.known(known) }, "Unreviewed", "incomplete", 4},
		{"It shows such an issue, and `--expectations` lists it", func(c *changed) { c.kubernetes = unreviewed; c.expected = []string{known.ID}; c.known(known) }, "Unreviewed, expected", "passed", 0},
		{"It fails, and passes on a retry", func(c *changed) { c.retry(must) }, "Passed", "incomplete", 4},
		{"The cluster does not serve its feature, API or release", func(c *changed) { c.skip(must, spec.SkipFeature) }, "NotApplicable", "passed", 0},
		{"It lacks nodes, permissions or flags", func(c *changed) { c.skip(must, spec.SkipNodes) }, "NotApplicable", "incomplete", 4},
		{"Whether the cluster serves its feature is unknown", func(c *changed) { c.skip(must, spec.SkipFeatureUnseen) }, "Blocked", "incomplete", 4},
		{"`--focus`, `--skip` or `--label-filter` excludes it", func(c *changed) { c.selected = true; c.drop(must) }, "none", "passed", 0},
		{"`--focus`, `--skip` or `--label-filter` excludes it, with `--profile`", func(c *changed) { c.drop(must) }, "none", "incomplete", 4},
		{"It is interrupted, or the environment breaks down", func(c *changed) { c.set(must, spec.Blocked) }, "Blocked", "incomplete", 4},
		{"It judges a program of dratest, and is skipped or excluded", func(c *changed) { c.drop(own) }, "none", "passed", 0},
		{"It judges a program of dratest, and fails", func(c *changed) { c.set(own, spec.Failed) }, "Failed", "failed", 1},
		{"Something besides the cases goes wrong", func(c *changed) { c.problem = "the journal is full" }, "any", "incomplete", 4},
		{"[Monitors](run.md#monitors) find a violation", func(c *changed) { c.finding = spec.Violation }, "any", "failed", 1},
		{"Monitors report a warning", func(c *changed) { c.finding = spec.Warning }, "any", "passed", 0},
		{"No case passes", func(c *changed) { c.all = nil; c.plan.Entries = nil }, "any", "failed", 1},
	} {
		t.Run(row.what, func(t *testing.T) {
			p := w.planned(t)
			c := &changed{plan: p, all: outcomes(p), kubernetes: w.kubernetes}
			row.change(c)
			info := w.info()
			if c.selected {
				info.Selection.Skip = []string{c.id}
			}
			info.Selection.Expectations = expect(c.expected)
			info.Selection.Profile = string(c.subset)
			if c.problem != "" {
				info.Problems = []string{c.problem}
			}
			if c.finding != "" {
				info.Findings = []spec.Finding{{Rule: spec.ObjectGone, Severity: c.finding}}
			}
			r := w.judged(c.plan, c.all, info)
			if got := c.status(r); r.Result != row.verdict || got != row.outcome && row.outcome != "any" {
				t.Errorf("case %s is %s, the run %s: %q", c.id, got, r.Result, r.Reasons)
			}
			code := 0
			if err := verdictError(r); err != nil {
				code = exitCode(err)
			}
			if code != row.code {
				t.Errorf("exit code %d, want %d", code, row.code)
			}
			documented(t, row.what, row.outcome, "`"+string(row.verdict)+"`", fmt.Sprint(row.code))
		})
	}
}

// unreviewed is a version without reviews of known issues.
const unreviewed = "v1.99.0"

// knownOnNewest is a case with a known issue of the newest Kubernetes, also to be expected in later ones.
func knownOnNewest(w where, entries []spec.Entry) spec.Meta {
	for _, e := range entries {
		issue := e.Meta.KnownIssue
		if e.Skip != nil || issue == nil || plan.ExcuseFor(*issue, w.target(nil), nil).Not != "" {
			continue
		}
		if not, _, err := issue.Standing(unreviewed); not == "" && err == nil {
			return e.Meta
		}
	}
	return spec.Meta{}
}

// changed is a run with one case changed.
type changed struct {
	plan       spec.Plan
	all        []spec.Outcome
	id         string
	kubernetes string
	strict     bool
	selected   bool
	expected   []string
	subset     spec.Subset
	problem    string
	finding    spec.FindingSeverity
}

func (c *changed) set(id string, status spec.Status) {
	c.id = id
	for i := range c.all {
		if c.all[i].ID == id {
			c.all[i].Status = status
		}
	}
}

// known sets the outcome of an observed known issue, as the harness does.
func (c *changed) known(m spec.Meta) {
	target := c.plan.Target
	target.Kubernetes = c.kubernetes
	for i := range target.Running {
		target.Running[i].Version = c.kubernetes
	}
	switch excuse := plan.ExcuseFor(*m.KnownIssue, target, nil); {
	case c.strict, excuse.Not != "":
		c.set(m.ID, spec.Failed)
	case excuse.Unreviewed != "":
		c.set(m.ID, spec.Unreviewed)
	default:
		c.set(m.ID, spec.Known)
	}
}

func (c *changed) retry(id string) {
	c.id = id
	c.all = append([]spec.Outcome{{ID: id, Status: spec.Failed, Started: began()}}, c.all...)
}

func (c *changed) skip(id string, code spec.SkipCode) {
	c.id = id
	c.all = slices.DeleteFunc(c.all, func(o spec.Outcome) bool { return o.ID == id })
	for i := range c.plan.Entries {
		if c.plan.Entries[i].Meta.ID == id {
			c.plan.Entries[i].Skip = &spec.Skip{Code: code, Text: "because"}
		}
	}
}

func (c *changed) drop(id string) {
	c.skip(id, "")
	c.plan.Entries = slices.DeleteFunc(c.plan.Entries, func(e spec.Entry) bool { return e.Meta.ID == id })
}

// status is the outcome of the case.
func (c *changed) status(r schema.Report) string {
	for _, one := range r.Cases {
		switch {
		case one.ID != c.id:
		case one.Warning():
			return "Failed, a warning"
		case one.FailedAsExpected():
			return string(one.Status) + ", expected"
		case one.PassedUnexpectedly():
			return "Passed, unexpectedly"
		default:
			return string(one.Status)
		}
	}
	if c.id == "" {
		return "Passed"
	}
	return "none"
}
