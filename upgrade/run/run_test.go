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

package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/path"
)

func TestRunDoesAllPiecesInOrder(t *testing.T) {
	w := newWorld(t)
	r, err := w.run(false)
	if err != nil || r.Verdict != schema.Passed || r.done() != len(r.Steps) || len(r.Steps) != 14 {
		t.Fatalf("%s after %d of %d steps: %v %v", r.Verdict, r.done(), len(r.Steps), err, r.Problems)
	}
	want := []string{"begin", "before 1"}
	for i := range r.Steps {
		want = append(want, fmt.Sprintf("after %d", 2*i+2), fmt.Sprintf("anew %d", 2*i+3))
	}
	want = append(want, "restored 30", "gone 31")
	for _, id := range []string{"upgrade/a", "upgrade/b"} {
		if got := w.of(id); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", id, got, want)
		}
	}
	for _, name := range []string{RecordFile, TableFile, "report.json", "junit_01.xml", "report.md", "steps/14/versions.json"} {
		if _, err := os.Stat(filepath.Join(w.options.ReportDir, name)); err != nil {
			t.Error(err)
		}
	}
}

// noCluster fails to create clusters.
type noCluster struct{ Clusters }

func (noCluster) Name() string { return "none" }

func (noCluster) Create(context.Context, clusters.Config) (clusters.Cluster, error) {
	return clusters.Cluster{}, errors.New("no engine answers")
}

func TestUpgradeThatDoesNotStart(t *testing.T) {
	w := newWorld(t)
	w.options.Out = io.Discard
	earlier := filepath.Join(w.options.ReportDir, reports.JSONFile)
	if err := os.WriteFile(earlier, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Run(t.Context(), Parts{Cases: w.cases, Clusters: noCluster{}}, w.options)
	junit, readErr := os.ReadFile(filepath.Join(w.options.ReportDir, reports.JUnitFile))
	if err == nil || readErr != nil || !strings.Contains(string(junit), "<error") || !strings.Contains(string(junit), "no engine answers") {
		t.Errorf("%v; CI systems see %s, %v", err, junit, readErr)
	}
	if _, err := os.Stat(earlier); err == nil {
		t.Error("the report of an earlier upgrade is still there")
	}
}

func TestKnownIssue(t *testing.T) {
	w := newWorld(t)
	w.knownIssue = "kubernetes#1: it does not"
	r, err := w.run(false)
	if err != nil || r.Verdict != schema.NothingPassed || r.Cases[0].Status != spec.Known {
		t.Fatalf("%s, case %s: %v", r.Verdict, r.Cases[0].Status, err)
	}
	for _, name := range []string{TableFile, "report.md", "report.json"} {
		content, err := os.ReadFile(filepath.Join(w.options.ReportDir, name))
		if err != nil || !strings.Contains(string(content), "it does not (seen ") {
			t.Errorf("%s does not say what was seen, and how often (%v):\n%s", name, err, content)
		}
	}
}

func TestInterruptedInAStepAndGoneOnWith(t *testing.T) {
	w := newWorld(t)
	w.cluster.hang, w.cluster.hangs = 3, func() { close(w.stop) }
	r, err := w.run(false)
	if !errors.Is(err, errStopped) || r.Verdict != schema.Incomplete || r.done() != 2 {
		t.Fatalf("%s after %d steps: %v", r.Verdict, r.done(), err)
	}
	w.stop = make(chan struct{})
	w.options.Stop = w.stop
	w.pieces = nil
	r, err = w.run(true)
	if err != nil || r.Verdict != schema.Passed || r.done() != 14 {
		t.Fatalf("%s after %d steps: %v %v", r.Verdict, r.done(), err, r.Problems)
	}
	// Step 3 is done again, and no piece.
	if w.cluster.done[2] != w.cluster.done[3] || len(w.cluster.done) != 15 {
		t.Errorf("steps: %v", w.cluster.done)
	}
	if got := w.of("upgrade/a"); !slices.Equal(got[:2], []string{"resume in ns-upgrade/a", "after 6"}) || got[len(got)-1] != "gone 31" {
		t.Errorf("pieces: %v", got)
	}
	if err := resumed(w.options.ReportDir, nil).Clean(); err == nil {
		t.Error("a run that has come to its end can be gone on with")
	}
}

// driver has a driver of this name.
type fakeDriver struct {
	DriverUnderTest

	name string
}

func (v fakeDriver) Driver() string { return v.name }

// TestGoneOnWithAboutAnotherDriver: the report would name one driver, with pods of the other.
func TestGoneOnWithAboutAnotherDriver(t *testing.T) {
	looked := spec.Target{Server: "https://127.0.0.1"}
	about := looked
	about.DriverUnderTest = &spec.DriverUnderTest{Driver: "gpu.example.com"}
	for _, tc := range []struct {
		name   string
		target spec.Target
		driver DriverUnderTest
		other  bool
	}{
		{"before the cluster was looked at", spec.Target{}, fakeDriver{name: "gpu.example.com"}, false},
		{"the same", about, fakeDriver{name: "gpu.example.com"}, false},
		{"another", about, fakeDriver{name: "nic.example.com"}, true},
		{"none", about, nil, true},
		{"one where each case had its own", looked, fakeDriver{name: "gpu.example.com"}, true},
		{"each case its own", looked, nil, false},
	} {
		w := newWorld(t)
		r := &run{options: w.options}
		if err := r.Clean(); err != nil {
			t.Fatal(err)
		}
		r.record.Target = tc.target
		if err := r.save(); err != nil {
			t.Fatal(err)
		}
		err := resumed(w.options.ReportDir, tc.driver).Clean()
		if errors.Is(err, ErrOtherDriver) != tc.other || !tc.other && err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestPause(t *testing.T) {
	w := newWorld(t)
	w.options.PauseAfter = 2
	if r, err := w.run(false); !errors.Is(err, errPaused) || r.done() != 2 || len(w.of("upgrade/a")) != 6 {
		t.Errorf("after %d steps: %v; %v", r.done(), err, w.of("upgrade/a"))
	}
	w.options.PauseAfter = 14 // the last one
	if r, err := w.run(true); !errors.Is(err, errPaused) || r.done() != 14 {
		t.Errorf("after %d steps: %v", r.done(), err)
	}
	w.options.PauseAfter = 0
	if r, err := w.run(true); err != nil || r.Verdict != schema.Passed || len(w.of("upgrade/a")) != 34 {
		t.Errorf("%s, %v; %v", r.Verdict, err, w.of("upgrade/a"))
	}
}

func TestComponentThatDoesNotComeBack(t *testing.T) {
	w := newWorld(t)
	w.cluster.fail[5] = fmt.Errorf("%w: kubelet does not start", clusters.ErrEnvironment)
	r, err := w.run(false)
	if !errors.Is(err, errStep) || r.Verdict != schema.Failed || r.done() != 4 || w.cluster.logs != 1 || !strings.Contains(r.Steps[4].Problem, "does not start") {
		t.Errorf("%s after %d steps, logs %d: %v", r.Verdict, r.done(), w.cluster.logs, err)
	}
	var text strings.Builder
	Print(&text, r, "dir")
	for _, message := range []string{"4 of 14 steps", "goes on        upgrade/a", "--resume", "verdict: failed"} {
		if !strings.Contains(text.String(), message) {
			t.Errorf("%s does not say %q", text.String(), message)
		}
	}
}

func TestDownIsDoneInKubeletSteps(t *testing.T) {
	w := newWorld(t)
	w.cases[0].Down = func(_ *harness.T, n *cases.Notes, step path.Step) {
		if step.Place.Component != path.Kubelet || n.Round%2 == 0 { // not the round of the preceding step
			panic(fmt.Sprintf("round %d, step %s", n.Round, step))
		}
	}
	r, err := w.run(false)
	if err != nil || r.Verdict != schema.Passed {
		t.Fatalf("%s: %v %+v", r.Verdict, err, r.Cases)
	}
	var down []int
	for _, p := range r.Cases[0].Pieces {
		if p.Phase == Down {
			down = append(down, p.Step)
		}
	}
	if !slices.Equal(down, []int{5, 6, 7, 8, 9, 10}) {
		t.Errorf("down in steps %v", down)
	}
}

// Cases of a gate run if the path switches it, although it is not on at that time.
func TestCasesAboutAGate(t *testing.T) {
	w := newWorld(t)
	w.cases[0].Switches = spec.ExtendedResource
	r, err := w.run(false)
	if err != nil || r.Cases[0].Skip == nil || r.Cases[0].Skip.Code != spec.SkipPath || r.Cases[1].Status != spec.Passed {
		t.Errorf("without a switch: %v %+v", err, r.Cases)
	}
	w = newWorld(t)
	w.cases[0].Switches = spec.ExtendedResource
	w.options.Request.To, w.options.Request.Back = w.options.Request.From, false
	w.options.Request.Gates = []path.Switch{{Gate: spec.ExtendedResource}}
	if r, err = w.run(false); err != nil || r.Cases[0].Status != spec.Passed {
		t.Errorf("with a switch: %v %+v", err, r.Cases)
	}
}

func TestFailedCaseEndsAlone(t *testing.T) {
	w := newWorld(t)
	after := w.cases[0].After
	w.cases[0].After = func(h *harness.T, n *cases.Notes, step path.Step) {
		after(h, n, step)
		if n.Round == 6 { // after step 3
			panic("container was restarted")
		}
	}
	r, err := w.run(false)
	if err != nil || r.Verdict != schema.Failed || r.Cases[0].Status != spec.Failed || r.Cases[1].Status != spec.Passed {
		t.Errorf("%s: %v %+v", r.Verdict, err, r.Cases)
	}
	if got := w.of("upgrade/a"); got[len(got)-1] != "after 6" {
		t.Errorf("goes on: %v", got)
	}
	md := string(table(r))
	w.cases[1].Requires = append(w.cases[1].Requires, "kep-2/y")
	of := func(ids []spec.RequirementID) (all []spec.Requirement) {
		for _, id := range ids {
			all = append(all, spec.Requirement{ID: id})
		}
		return all
	}
	report := string(promises([]schema.Case{{ID: "upgrade/b", Requirements: of(w.cases[1].Requires), Status: spec.Passed}, {ID: "upgrade/a", Requirements: of(w.cases[0].Requires), Status: spec.NotApplicable, Reason: "why"}}))
	if want := "| kep-1/x | b | Passed |\n| kep-1/x | a | NotApplicable: why |\n| kep-2/y | b | Passed |\n"; !strings.HasSuffix(report, want) {
		t.Errorf("%s does not end with %s", report, want)
	}
	for _, message := range []string{"| 3 | kube-scheduler", "| **Failed** | ok |", "container was restarted"} {
		if !strings.Contains(md, message) {
			t.Errorf("%s does not say %q", md, message)
		}
	}
}

// A failure of SHOULD requirements only is a warning, as in "dratest run": an upgrade once failed over a SHOULD with
// "warning" in its own report.json.
func TestFailedShouldIsAWarning(t *testing.T) {
	w := newWorld(t)
	w.cases[0].Requires = []spec.RequirementID{"kep-4381/other-schedulers-reserve"}
	w.requirements = []spec.Requirement{{ID: "kep-4381/other-schedulers-reserve", Level: spec.Should}}
	w.cases[0].Gone = func(*harness.T, *cases.Notes) { panic("it is still there") }
	r, err := w.run(false)
	if err != nil || r.Verdict != schema.Passed || r.Cases[0].Status != spec.Failed {
		t.Errorf("%s: %v %+v", r.Verdict, err, r.Cases)
	}
	table, err := os.ReadFile(filepath.Join(w.options.ReportDir, TableFile))
	if want := "| kep-4381/other-schedulers-reserve | a | Failed, a warning |"; err != nil || !strings.Contains(string(table), want) {
		t.Errorf("the table does not say %q (%v):\n%s", want, err, table)
	}
}

func TestCasesThatDoNotRun(t *testing.T) {
	w := newWorld(t)
	w.cases[0].Needs.Features = []spec.Feature{spec.DeviceTaintRules} // on since v1.37
	w.cases[1].Needs.Nodes = 5
	r, err := w.run(false)
	if err != nil || r.Verdict != schema.NothingRan || r.Cases[0].Skip == nil || r.Cases[1].Skip.Code != spec.SkipNodes {
		t.Errorf("%s: %v %+v", r.Verdict, err, r.Cases)
	}
	w = newWorld(t)
	w.options.Request.Drain, w.cases[0].Drained = true, true
	if r, err := w.run(false); err != nil || r.Cases[0].Status != spec.Passed || r.Cases[1].Skip.Code != spec.SkipPath {
		t.Errorf("%s: %v %+v", r.Verdict, err, r.Cases)
	}
	w = newWorld(t)
	w.cases[0].Drained = true
	w.cases[1].Down = func(*harness.T, *cases.Notes, path.Step) {}
	w.options.Request.To, w.options.Request.Back = w.options.Request.From, false
	w.options.Request.Own = []path.Place{{Component: path.Scheduler, Node: w.options.Request.ControlPlanes[0]}}
	if r, err := w.run(false); err != nil || r.Verdict != schema.NothingRan || r.Cases[0].Skip.Code != spec.SkipPath || r.Cases[1].Skip.Code != spec.SkipPath {
		t.Errorf("neither drains nor stops a kubelet: %s: %v %+v", r.Verdict, err, r.Cases)
	}
	w = newWorld(t)
	w.options.Filter = plan.Filter{Focus: []string{"upgrade/b"}}
	if r, err := w.run(false); err != nil || len(r.Cases) != 1 || r.Verdict != schema.Passed {
		t.Errorf("%s: %v %+v", r.Verdict, err, r.Cases)
	}
}

func TestOptions(t *testing.T) {
	one := 0
	o := Options{PauseAfter: -1, StepTimeout: -1, Config: testbed.Config{Cluster: clusters.Config{Workers: &one}}}.withDefaults()
	err := o.Validate()
	for _, message := range []string{"pause after", "step timeout", "workers"} {
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%v does not say %q", err, message)
		}
	}
	three := 3
	_, workers := nodeNames(clusters.Config{Name: "c", Workers: &three})
	if want := []string{"c-worker", "c-worker2", "c-worker3"}; !slices.Equal(workers, want) {
		t.Errorf("workers %v", workers)
	}
}
