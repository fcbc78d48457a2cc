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
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/profile"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/verify"
)

// where describes a cluster for cases, as far as verdicts depend on it.
type where struct {
	provider, kubernetes string
	whose                spec.Provenance
	filter               plan.Filter
	// disruptive and restartNodes are flags. With made, the control plane is as in clusters made
	// by dratest; with job, dratest runs in the cluster.
	disruptive, restartNodes, made, job bool
	// expected are cases expected to fail.
	expected []string
	// driver is a driver under test.
	driver *spec.DriverUnderTest
}

// engine returns the engine of the run and the cases of its suite.
func (w where) engine() (schema.Engine, []spec.Meta) {
	if w.driver != nil {
		return schema.EngineCertify, certifyMetas()
	}
	return schema.EngineRun, run.Metas(parts().Cases)
}

func (w where) String() string {
	return fmt.Sprintf("%s %s %s", w.provider, w.kubernetes, w.whose)
}

// target is the cluster as a probe sees it, with the gates of its release.
func (w where) target(metas []spec.Meta) spec.Target {
	ours := w.provider != testbed.Existing
	made := ours || w.made
	t := spec.Target{
		Server: "https://127.0.0.1:6443", Kubernetes: w.kubernetes, APIServers: 1, ResourceAPIs: []string{"v1"},
		Gates: map[spec.Feature]bool{}, SchedulerGates: map[spec.Feature]bool{},
		Disruptable: ours || w.disruptive, Restartable: ours || w.restartNodes, DriverUnderTest: w.driver,
	}
	kubelets := map[spec.Feature]bool{}
	minor := version.MustParseGeneric(w.kubernetes).Minor()
	for _, m := range metas {
		for _, f := range slices.Concat(m.Needs.Features, m.Needs.Off) {
			stage, known := f.Stage(minor)
			if !known || f.GateRemoved(minor) {
				continue
			}
			t.Gates[f] = stage.On
			if f.OfScheduler() {
				t.SchedulerGates[f] = stage.On
			}
			if f.OnKubelets() {
				kubelets[f] = stage.On
			}
		}
	}
	if made {
		t.BindingTimeout, t.DefaultsProfile = clusters.BindingTimeout, clusters.DefaultsProfile
	}
	for _, name := range []string{"a", "b"} {
		n := spec.Node{Name: name, OS: "linux", Arch: "amd64", Schedulable: true, Kubelet: w.kubernetes, Runtime: "containerd://2.3.7", KubeletGates: kubelets}
		if w.provider == clusters.ProviderControlPlane {
			n = spec.Node{Name: name, OS: "linux", Arch: "amd64", Schedulable: true, Kubelet: "kwok-v0.8.0", Simulated: true}
		}
		t.Nodes = append(t.Nodes, n)
	}
	if made && w.provider != clusters.ProviderControlPlane {
		t.Nodes = append(t.Nodes, spec.Node{Name: "control-plane", OS: "linux", ControlPlane: true, Kubelet: w.kubernetes, KubeletGates: kubelets})
		t.Components = map[string]string{}
		for _, name := range []string{"kube-apiserver", "kube-scheduler", "kube-controller-manager"} {
			t.Components[name] = w.kubernetes
		}
	}
	return plan.WithBasis(w.running(t), nil, nil)
}

// running adds the components of the stack.
func (w where) running(t spec.Target) spec.Target {
	for _, name := range []string{spec.Scheduler, spec.Controllers} {
		t.Running = append(t.Running, spec.Component{Name: name, Program: name, Version: w.kubernetes, Whose: w.whose})
	}
	for _, n := range t.Nodes {
		if !n.Simulated {
			t.Running = append(t.Running, spec.Component{Name: spec.Kubelet, Program: "kubelet", Node: n.Name, Version: w.kubernetes, Whose: w.whose})
		}
	}
	return t
}

// planned is the plan of all cases.
func (w where) planned(t *testing.T) spec.Plan {
	t.Helper()
	_, metas := w.engine()
	target := w.target(metas)
	p, err := plan.Build(metas, target, w.filter)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range parts().Companions {
		p = plan.WithoutCompanion(p, c.Name, c.Skip, func(n spec.Needs) string {
			switch {
			case w.job:
				return c.NoKubeconfig
			case c.Lacks != nil:
				return c.Lacks(n, target)
			}
			return ""
		})
	}
	return p
}

// outcomes are those of a run without failures.
func outcomes(p spec.Plan) []spec.Outcome {
	var all []spec.Outcome
	for _, e := range p.Entries {
		if e.Skip != nil {
			continue
		}
		o := spec.Outcome{ID: e.Meta.ID, Status: spec.Passed, Started: began(), Duration: time.Second}
		if issue := e.Meta.KnownIssue; issue != nil {
			if excuse := plan.ExcuseFor(*issue, p.Target, []string{"a"}); excuse.Not == "" {
				o.Status, o.Basis, o.Reason = spec.Known, excuse.Basis, issue.Does
			}
		}
		all = append(all, o)
	}
	return all
}

// known has the rules for verification.
var known = sync.OnceValue(rules)

// began is the start of all runs.
func began() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) }

func (w where) info() reports.Info {
	return reports.Info{
		Suite: reports.SuiteVersion(), Provider: w.provider, Requirements: parts().Requirements, Started: began(), Ended: began().Add(time.Hour),
		Selection: schema.Selection{Focus: w.filter.Focus, Skip: w.filter.Skip, Labels: w.filter.Labels, Profile: string(w.filter.Profile), Parallel: 4, Expectations: expect(w.expected)},
	}
}

func expect(ids []string) (all []schema.Expectation) {
	for _, id := range ids {
		all = append(all, schema.Expectation{Case: id, Reason: "known", Issue: "example#1", Until: "2027-03-31"})
	}
	return all
}

// judged is the report of a run.
func (w where) judged(p spec.Plan, all []spec.Outcome, info reports.Info) schema.Report {
	engine, _ := w.engine()
	target := spec.ClusterTarget
	switch {
	case engine == schema.EngineCertify:
		target = spec.DriverTarget
	case w.provider == clusters.ProviderControlPlane:
		target = spec.ControlPlaneTarget
	}
	list := known()[engine].Required
	return reports.Judge(reports.Build(p, all, info), profile.Run(target, info.Selection, engine, list), list)
}

// write writes the files of a run.
func (w where) write(t *testing.T, dir string, p spec.Plan, all []spec.Outcome) schema.Report {
	t.Helper()
	writeJournal(t, dir, p, all, w.info())
	r := w.judged(p, all, w.info())
	if err := reports.Write(dir, r); err != nil {
		t.Fatal(err)
	}
	if _, err := reports.Seal(dir, r, all, reports.Facts{Required: known()[schema.EngineRun].Required}); err != nil {
		t.Fatal(err)
	}
	return r
}

// writeJournal writes outcomes.jsonl, and e2e.log as Ginkgo does.
func writeJournal(t *testing.T, dir string, p spec.Plan, all []spec.Outcome, info reports.Info) {
	t.Helper()
	const rule = "------------------------------\n"
	var lines, log strings.Builder
	add := func(r journal.Record) {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	add(journal.Record{Run: &journal.Run{Suite: info.Suite, Kubernetes: p.Target.Kubernetes, Selection: info.Selection}})
	for _, o := range all {
		add(journal.Record{Progress: spec.Progress{Time: o.Started, ID: o.ID}})
		add(journal.Record{Progress: spec.Progress{Time: o.Started.Add(o.Duration), ID: o.ID, Outcome: &o}})
		if slices.ContainsFunc(p.Entries, func(e spec.Entry) bool { return e.Meta.ID == o.ID && e.Meta.Needs.Contract }) {
			fmt.Fprintln(&log, reports.CheckLine(o))
			continue
		}
		head := "• [1.0 seconds]"
		if o.Status == spec.Failed {
			head = "• [FAILED] [1.0 seconds]"
		}
		fmt.Fprintf(&log, "%s%s\n%s it does\n", rule, head, o.ID)
	}
	for name, text := range map[string]string{reports.JournalFile: lines.String(), reports.LogFile: log.String() + rule} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The report of each run without failures is valid, for any skipped cases. On clusters created by
// dratest, the run has passed.
func TestEveryWholeRunVerifies(t *testing.T) {
	for _, provider := range []string{clusters.ProviderKind, clusters.ProviderControlPlane, testbed.Existing} {
		for _, v := range versions.All() {
			for _, whose := range []spec.Provenance{spec.Stock, spec.Own} {
				w := where{provider: provider, kubernetes: v.Kubernetes, whose: whose}
				t.Run(w.String(), func(t *testing.T) {
					t.Parallel()
					dir := t.TempDir()
					p := w.planned(t)
					r := w.write(t, dir, p, outcomes(p))
					if want := schema.ResultPassed; provider != testbed.Existing && r.Result != want {
						t.Errorf("%s: %q", r.Result, r.Reasons)
					}
					c, reasons, err := verify.Directory(os.DirFS(dir), known())
					if err != nil || len(reasons) > 0 || c.Result != r.Result {
						t.Errorf("%s: %v\n%s", c.Result, err, strings.Join(reasons, "\n"))
					}
				})
			}
		}
	}
}

// A selection is judged on no profile, by every command.
func TestSelection(t *testing.T) {
	w := where{provider: clusters.ProviderKind, kubernetes: versions.Newest().Kubernetes, whose: spec.Stock, filter: plan.Filter{Focus: []string{"^core/"}}}
	dir, p := t.TempDir(), w.planned(t)
	r := w.write(t, dir, p, outcomes(p))
	about := fmt.Sprintf("selection of %d cases; no profile was judged", len(p.Entries))
	if r.Result != schema.ResultPassed || r.Profile != nil || r.Selected() != about {
		t.Errorf("%s for %s, %s: %q", r.Result, r.Profile, r.Selected(), r.Reasons)
	}
	c, err := reports.ReadConformance(dir)
	if err != nil || c.Result != schema.ResultPassed || c.Profile != nil || len(c.Profiles) != 0 {
		t.Errorf("%s for %s, %d profiles: %v", c.Result, c.Profile, len(c.Profiles), err)
	}
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"verify"}, 0, "The report holds. Its result is passed for a " + about + "."},
		{[]string{"export"}, codeUsage, "is a " + about},
		{[]string{"badge"}, codeUsage, "has no certificate"},
	} {
		if out, code := execute(t, append(append([]string{"report"}, tc.args...), dir)...); code != tc.code || !strings.Contains(out, tc.want) {
			t.Errorf("%s: exit code %d, want %d; %q is not in:\n%s", tc.args, code, tc.code, tc.want, out)
		}
	}
	for _, name := range []string{"markdown", "html", "junit"} {
		if out, code := execute(t, "report", dir, "-o", name); code != 0 || !strings.Contains(out, about) {
			t.Errorf("%s: exit code %d, without %q", name, code, about)
		}
	}
}

// A report stays valid for a build with one more MUST and a renamed case. The report of this build can
// be verified by the build itself only.
func TestReportsOutliveTheSuite(t *testing.T) {
	w := where{provider: clusters.ProviderKind, kubernetes: versions.Newest().Kubernetes, whose: spec.Stock}
	dir, p := t.TempDir(), w.planned(t)
	w.write(t, dir, p, outcomes(p))
	today, later := rules(), rules()
	now, next := today[schema.EngineRun], later[schema.EngineRun]
	pinned := profile.Version{Version: "v1", Lists: map[schema.Engine]string{schema.EngineRun: schema.RequiredDigest(now.Required)}}
	next.Required[0].ID += "-renamed"
	next.Required = append(next.Required, schema.RequiredCase{ID: "core/new", Level: spec.Must, Profiles: []spec.ConformanceProfile{spec.ClusterTarget}})
	now.Versions = []profile.Version{pinned}
	next.Versions = []profile.Version{pinned, {Version: "v2", Lists: map[schema.Engine]string{schema.EngineRun: schema.RequiredDigest(next.Required)}}}
	today[schema.EngineRun], later[schema.EngineRun] = now, next
	reseal := func(r verify.Rules) {
		t.Helper()
		report := reports.Judge(reports.Build(p, outcomes(p), w.info()), schema.RunProfile{
			Name: spec.ClusterTarget, Required: len(profile.Required(spec.ClusterTarget, r.Required)),
			Version: profile.Of(r.Versions, schema.EngineRun, schema.RequiredDigest(r.Required)),
		}, r.Required)
		if err := reports.Write(dir, report); err != nil {
			t.Fatal(err)
		}
		if _, err := reports.Seal(dir, report, outcomes(p), reports.Facts{Required: r.Required}); err != nil {
			t.Fatal(err)
		}
	}
	reseal(now)
	if _, reasons, err := verify.Directory(os.DirFS(dir), later); err != nil || len(reasons) > 0 {
		t.Errorf("%v\n%s", err, strings.Join(reasons, "\n"))
	}
	reseal(next)
	if _, _, err := verify.Directory(os.DirFS(dir), today); err == nil || !strings.Contains(err.Error(), "profile cluster v2 is newer than v1") {
		t.Error(err)
	}
}

var (
	freeze = flag.Bool("freeze", false, "add the lists of required cases as the next version of the profiles")
	frozen = flag.Bool("frozen", false, "fail if these lists are a draft")
)

// A release adds a version. Builds between releases have a draft.
func TestProfileVersions(t *testing.T) {
	const file = "../../reports/profile/versions.yaml"
	all := profile.Versions()
	next := profile.Version{
		Version: fmt.Sprintf("v%d", len(all)+1), Lists: map[schema.Engine]string{}, Required: map[spec.ConformanceProfile]int{},
	}
	for engine, r := range rules() {
		next.Lists[engine] = schema.RequiredDigest(r.Required)
	}
	for _, c := range rules()[schema.EngineRun].Required {
		for _, name := range c.Profiles {
			next.Required[name]++
		}
	}
	draft := !slices.ContainsFunc(all, func(v profile.Version) bool { return maps.Equal(v.Lists, next.Lists) })
	if draft && *freeze {
		all = append(all, next)
	}
	if draft && *frozen {
		t.Errorf("the lists of required cases are those of no version: freeze one")
	}
	data, err := profile.Render(all)
	if err != nil {
		t.Fatal(err)
	}
	if *freeze {
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if string(data) != readFile(t, file) {
		t.Errorf("%s is not what -freeze writes:\n%s", file, data)
	}
	for i, v := range all {
		if v.Version != fmt.Sprintf("v%d", i+1) {
			t.Errorf("version %d is %s", i+1, v.Version)
		}
	}
}

// Every MUST of Kubernetes has a case in the profile of a cluster. Exceptions are promises about
// simulations by autoscalers: only dra-whatif simulates.
func TestNoPromiseLeavesTheProfile(t *testing.T) {
	exceptions := []spec.RequirementID{
		"kep-4381/autoscaler-simulates", "kep-4381/slice-node-name-for-autoscaler", "kep-5004/special-claim-in-simulation",
	}
	required := map[spec.RequirementID]bool{}
	for _, c := range profile.Required(spec.ClusterTarget, known()[schema.EngineRun].Required) {
		for _, id := range c.Requirements {
			required[id] = true
		}
	}
	requirements := parts().Requirements
	for _, c := range known()[schema.EngineRun].Required {
		for _, r := range requirements {
			kubernetes := slices.Contains([]string{"api", "scheduler", "controllers", "kubelet"}, r.Keeper) && r.Level == spec.Must && r.Area == ""
			if kubernetes && slices.Contains(c.Requirements, r.ID) && !required[r.ID] && !slices.Contains(exceptions, r.ID) {
				t.Errorf("%s is a MUST of the %s checked by %s, and by no case required of a cluster", r.ID, r.Keeper, c.ID)
			}
		}
	}
}
