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

package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// suiteVariable names the suite run by this process instead of tests, because Ginkgo runs one
// per process. dirVariable is the directory of its journal.
const suiteVariable, dirVariable = "HARNESS_TEST_SUITE", "HARNESS_TEST_DIR"

const journalFile = "journal"

// ending is how a case of a suite ended, with the log of its world.
type ending struct {
	Outcome spec.Outcome
	Log     []string
}

// story is a case, its world, and how it must end.
type story struct {
	name    string
	world   func(w *world)
	run     func(t *T)
	timeout time.Duration
	first   bool
	skip    bool
	issue   *spec.KnownIssue // the case's
	kubelet string           // the version on all nodes
	basis   spec.Basis       // how that is known
	strict  bool
	closed  string   // the components without the issue
	reason  []string // parts of the reason

	status spec.Status
	failed []string // parts of the failure
	last   string   // the last step
	here   bool     // the failure is in this file
	log    []string // is in the world's log, in this order
	never  string   // is not in the log
	stay   bool     // the namespace
	holds  bool     // the node c, which is set aside
}

func nothing(*T) {}

func act(t *T) {
	t.CreateClass(nil)
	t.RunPod(objects.Pod("pod", t.Image))
	t.Step("act")
}

func actAndFail(t *T) {
	act(t)
	t.Expect(1).To(gomega.Equal(2), "one is two")
}

// expectNode expects the case's last node, and pods that may run on a node set aside or not.
func expectNode(last string, tolerates bool) func(*T) {
	return func(t *T) {
		pod := objects.Pod("pod", t.Image)
		t.NoError(t.fit(pod), "fit the pod")
		t.Expect(t.Nodes[len(t.Nodes)-1]).To(gomega.Equal(last))
		t.Expect(len(pod.Spec.Tolerations) > 0).To(gomega.Equal(tolerates))
	}
}

var kubeletIssue = &spec.KnownIssue{Issue: "kubernetes#1", Component: spec.Kubelet, Through: "1.37", Does: "It does not."}

func seeIssue(t *T) {
	act(t)
	t.KnownIssue("it does %s", "not")
}

var released = make(chan struct{}) // ends the deaf case of a suite process

func stories() map[string][]story {
	return map[string][]story{
		"all": {
			{name: "passes", run: act, status: spec.Passed, log: []string{
				"create namespaces", "create serviceaccounts", "start driver on b", "heal driver on a", "delete-collection pods", "delete deviceclass",
				"delete-collection resourceclaims", "stop driver on", "delete namespaces",
			}},
			{name: "namespace-stays", run: act, stay: true, status: spec.Passed,
				log: []string{"delete-collection pods", "delete deviceclass", "delete-collection resourceclaims", "stop driver on"}, never: "delete namespaces"},
			{name: "holds-a-node", run: expectNode("c", true), holds: true, status: spec.Passed},
			{name: "holds-the-node-next", run: expectNode("c", true), holds: true, status: spec.Passed},
			{name: "passes-by-that-node", run: expectNode("b", false), status: spec.Passed},
			{name: "fails", run: actAndFail, status: spec.Failed, failed: []string{"one is two"}, last: "act", here: true,
				log: []string{"heal driver", "delete-collection pods", "stop driver", "delete namespaces"}},
			{name: "panics", run: func(t *T) { act(t); panic("oops") }, status: spec.Failed, failed: []string{"oops"}, last: "act", here: true,
				log: []string{"stop driver", "delete namespaces"}},
			{name: "waits", run: func(t *T) { t.WaitRunning("nosuch") }, timeout: 3 * time.Second, status: spec.Failed,
				failed: []string{`s waiting for pod "nosuch" to be running: the case took longer than 3s`, "no such pod"}, last: `waiting for pod "nosuch" to be running`, here: true,
				log: []string{"stop driver", "delete namespaces"}},
			{name: "skipped", run: actAndFail, skip: true},
			{name: "no-namespace", world: func(w *world) { w.refuse["create namespaces"] = 1 }, run: nothing,
				status: spec.Blocked, failed: []string{"create namespace", errAway.Error()}, never: "delete"},
			{name: "no-account", world: func(w *world) { w.refuse["create serviceaccounts"] = 1 }, run: nothing,
				status: spec.Blocked, failed: []string{"create the namespace's service account", errAway.Error()}, log: []string{"delete namespaces"}},
			{name: "no-driver", world: func(w *world) { w.start["b"] = errors.New("no room") }, run: nothing, status: spec.Blocked,
				failed: []string{"start driver", "on b", "no room"}, log: []string{"stop driver on", "stop driver on", "delete namespaces"}},
			{name: "pods-stay", world: func(w *world) { w.podsStay = true }, run: act, status: spec.Failed, last: "clean up",
				failed: []string{"clean up: pods do not terminate", "not after 3s", "pod: phase Running"},
				log:    []string{"heal driver", "delete-collection pods", "delete deviceclass", "delete namespaces"}, never: "stop driver"},
			{name: "driver-stays", world: func(w *world) { w.stop = errors.New("still in use") }, run: act, status: spec.Failed,
				failed: []string{"clean up: still in use"}, last: "clean up", log: []string{"stop driver", "delete namespaces"}},
			{name: "fails-twice", world: func(w *world) { w.stop = errors.New("still in use") }, run: actAndFail, status: spec.Failed,
				failed: []string{"one is two", "\nthen: clean up: still in use"}, last: "act", here: true},
			{name: "still-prepared", world: func(w *world) { w.prepared = 9 }, run: nothing, status: spec.Passed,
				log: []string{"delete-collection pods", "unprepare", "stop driver"}},
			{name: "api-away", run: act, status: spec.Passed, world: func(w *world) {
				w.refuse["delete-collection pods"], w.refuse["delete namespaces"] = 1, 2
			}, log: []string{"delete-collection pods", "stop driver", "delete namespaces"}},
		},
		"known issues": {
			{name: "known", run: seeIssue, issue: kubeletIssue, kubelet: "v1.37.1", basis: spec.Proven, status: spec.Known, log: []string{"stop driver", "delete namespaces"}},
			{name: "known-of-claimed", run: seeIssue, issue: kubeletIssue, kubelet: "v1.37.1", basis: spec.Claimed, status: spec.Known,
				reason: []string{"kubernetes#1: it does not (claimed: kubelet v1.37.1 by name and version only, as nobody looked)"}},
			{name: "known-and-strict", run: seeIssue, issue: kubeletIssue, kubelet: "v1.37.1", basis: spec.Proven, strict: true, status: spec.Failed, here: true,
				failed: []string{"it does not (known issue of kubernetes#1, not excused with --strict)"}},
			{name: "known-is-closed", run: act, issue: kubeletIssue, kubelet: "v1.37.1", basis: spec.Claimed, status: spec.Passed, closed: "kubelet v1.37.1"},
			{name: "unreviewed-is-closed", run: act, issue: kubeletIssue, kubelet: "v1.38.0", basis: spec.Proven, status: spec.Passed, closed: "kubelet v1.38.0"},
			{name: "known-of-own", run: seeIssue, issue: kubeletIssue, kubelet: "v1.37.1" + spec.OwnKubeletMark, status: spec.Failed, here: true,
				failed: []string{"it does not (kubernetes#1 is known for this, but the kubelet of a is this project's"}},
			{name: "unreviewed", run: seeIssue, issue: kubeletIssue, kubelet: "v1.38.0", basis: spec.Proven, status: spec.Unreviewed},
			{name: "known-that-is-not-known", run: seeIssue, kubelet: "v1.37.1", status: spec.Failed, failed: []string{"it does not"}, here: true},
			{name: "known-and-failure", run: func(t *T) { seeIssue(t); t.Expect(1).To(gomega.Equal(2), "one is two") }, issue: kubeletIssue, kubelet: "v1.37.1",
				status: spec.Failed, failed: []string{"one is two"}},
			{name: "known-and-panic", run: func(t *T) { seeIssue(t); panic("oops") }, issue: kubeletIssue, kubelet: "v1.37.1",
				status: spec.Failed, failed: []string{"oops"}},
			{name: "known-and-stuck", run: seeIssue, issue: kubeletIssue, kubelet: "v1.37.1", world: func(w *world) { w.stop = errors.New("still in use") },
				status: spec.Failed, failed: []string{"clean up: still in use"}},
		},
		"deaf": {
			{name: "deaf", first: true, timeout: 2 * time.Second, run: func(t *T) {
				t.Step("hear")
				<-released
				// Ginkgo would know of the failure for as long as this takes.
				defer func() { <-time.After(time.Minute) }()
				t.Fatalf("too late")
			},
				status: spec.Failed, failed: []string{"timeout"}, last: "hear", log: []string{"stop driver", "delete namespaces"}},
			{name: "next", run: func(t *T) {
				close(released)
				<-time.After(200 * time.Millisecond) // for a failure
				act(t)
			}, status: spec.Passed},
		},
		"interrupted": {
			{name: "interrupted", run: func(t *T) {
				t.NoError(syscall.Kill(os.Getpid(), syscall.SIGINT), "interrupt")
				t.WaitRunning("nosuch")
			}, status: spec.Blocked, failed: []string{"nterrupt"}, log: []string{"heal driver", "delete-collection pods", "stop driver", "delete namespaces"}},
		},
	}
}

// TestSuite is a suite in a process of its own, and nothing otherwise.
func TestSuite(t *testing.T) {
	suite, dir := os.Getenv(suiteVariable), os.Getenv(dirVariable)
	if suite == "" {
		return
	}
	journal, err := os.Create(filepath.Join(dir, journalFile))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = journal.Close() }()
	for _, s := range stories()[suite] {
		c := Case{Meta: spec.Meta{ID: "e2e/" + s.name, Checks: "It does.", Timeout: s.timeout, KnownIssue: s.issue}, Run: s.run}
		c.Needs = spec.Needs{Nodes: 2, Profile: spec.Profile{Pools: []spec.Pool{{}}}}
		if s.holds {
			c.SerialBecause, c.HoldsNode, c.Needs.Nodes = "It restarts the kubelet.", true, 1
		}
		if s.first {
			c.WaitsFor = "nothing"
		}
		w := newWorld()
		if s.world != nil {
			s.world(w)
		}
		Register([]Case{c}, func() *Env { return envOf(s, c, w, dir, json.NewEncoder(journal)) })
	}
	config, reporter := ginkgo.GinkgoConfiguration()
	config.GracePeriod = time.Second
	ginkgo.RunSpecs(t, suite, config, reporter)
}

func envOf(s story, c Case, w *world, dir string, journal *json.Encoder) *Env {
	entry := spec.Entry{Meta: c.Meta}
	if s.skip {
		entry.Skip = &spec.Skip{Code: spec.SkipNodes, Text: "too few"}
	}
	workers := []spec.Node{{Name: "a", OS: "linux", Schedulable: true, Kubelet: s.kubelet}, {Name: "b", OS: "linux", Schedulable: true, Kubelet: s.kubelet}}
	setAside := ""
	if strings.Contains(s.name, "node") {
		setAside = "c"
		workers = append(workers, spec.Node{Name: "c", OS: "linux", Schedulable: true})
	}
	var running []spec.Component
	for _, n := range workers {
		c := spec.Component{Name: spec.Kubelet, Program: "kubelet", Node: n.Name, Whose: spec.Stock, Basis: s.basis, Version: s.kubelet, Why: "nobody looked"}
		if strings.HasSuffix(s.kubelet, spec.OwnKubeletMark) {
			c.Whose = spec.Own
		}
		running = append(running, c)
	}
	return &Env{
		Plan: spec.Plan{Target: spec.Target{Nodes: workers, Running: running}, Entries: []spec.Entry{entry}}, Strict: s.strict, Timelines: spec.TimelinesAll, NamespacesStay: s.stay, SetAside: setAside,
		Agents: w, Driver: w.driver, ReportDir: dir, Connect: w.connect, RemoveTimeout: 3 * time.Second,
		Journal: func(p spec.Progress) {
			if p.Outcome != nil {
				_ = journal.Encode(ending{*p.Outcome, w.log}) // the test misses it
			}
		},
	}
}

// runSuite runs a suite and returns the endings in its journal, by case.
func runSuite(t *testing.T, suite string) (dir string, records map[string]ending) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dir, records = t.TempDir(), map[string]ending{}
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestSuite$")
	cmd.Env = append(os.Environ(), suiteVariable+"="+suite, dirVariable+"="+dir)
	output, err := cmd.CombinedOutput()
	if !errors.As(err, new(*exec.ExitError)) {
		t.Logf("the suite ended with %v", err)
	}
	journal, err := os.ReadFile(filepath.Join(dir, journalFile))
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for decoder := json.NewDecoder(bytes.NewReader(journal)); decoder.More(); {
		var r ending
		if err := decoder.Decode(&r); err != nil {
			t.Fatal(err)
		}
		id := strings.TrimPrefix(r.Outcome.ID, "e2e/")
		if _, twice := records[id]; twice {
			t.Errorf("case %s ended twice", id)
		}
		records[id] = r
	}
	if len(records) == 0 {
		t.Fatalf("no case ended:\n%s", output)
	}
	return dir, records
}

func TestRegister(t *testing.T) {
	for suite, cases := range stories() {
		t.Run(suite, func(t *testing.T) {
			t.Parallel()
			dir, records := runSuite(t, suite)
			for _, s := range cases {
				t.Run(s.name, func(t *testing.T) { check(t, s, dir, records[s.name]) })
			}
		})
	}
}

func check(t *testing.T, s story, dir string, r ending) {
	t.Helper()
	o := r.Outcome
	if o.Status != s.status {
		t.Errorf("status %q, want %q: %s", o.Status, s.status, o.Failure)
	}
	for _, part := range s.failed {
		if !strings.Contains(o.Failure, part) {
			t.Errorf("missing %q in failure: %s", part, o.Failure)
		}
	}
	for _, part := range s.reason {
		if !strings.Contains(o.Reason, part) {
			t.Errorf("missing %q in reason: %s", part, o.Reason)
		}
	}
	if o.ClosedHere != s.closed {
		t.Errorf("closed here: %q, want %q", o.ClosedHere, s.closed)
	}
	if (o.Status == spec.Known || s.closed != "") && o.Basis != s.basis {
		t.Errorf("basis %q, want %q", o.Basis, s.basis)
	}
	if s.last != "" && o.LastStep != s.last {
		t.Errorf("last step %q, want %q", o.LastStep, s.last)
	}
	if here := strings.HasPrefix(o.Location, "framework/harness/register_test.go:"); s.here && !here {
		t.Errorf("location %s", o.Location)
	}
	if (o.Status == spec.Failed || o.Status == spec.Blocked || o.Status == spec.Known || o.Status == spec.Unreviewed) != (o.Evidence != "") {
		t.Errorf("evidence %q", o.Evidence)
	}
	if o.Evidence != "" {
		steps, err := os.ReadFile(filepath.Join(dir, o.Evidence, "steps.txt"))
		if err != nil || !strings.Contains(string(steps), " "+o.LastStep) {
			t.Errorf("%v, last step %q is not in:\n%s", err, o.LastStep, steps)
		}
		if _, err := os.Stat(filepath.Join(dir, o.Evidence, "objects", "pods.yaml")); err != nil && o.Status == spec.Known {
			t.Error(err)
		}
	}
	if slices.Contains(r.Log, "create namespaces") != (o.Timeline != "") {
		t.Errorf("timeline %q", o.Timeline)
	}
	rest := r.Log
	for _, want := range s.log {
		i := slices.IndexFunc(rest, func(l string) bool { return strings.HasPrefix(l, want) })
		if i < 0 {
			t.Fatalf("missing %q, or it comes too early: %q", want, r.Log)
		}
		rest = rest[i+1:]
	}
	if s.never != "" && slices.ContainsFunc(r.Log, func(l string) bool { return strings.HasPrefix(l, s.never) }) {
		t.Errorf("%q must not be: %q", s.never, r.Log)
	}
}

// Ginkgo gave the line of Register as the location of each case: "ginkgo --focus-file suites/core"
// found none.
func TestLocationOfACase(t *testing.T) {
	if got := location(Case{Run: nothing}); !strings.HasSuffix(got.FileName, "framework/harness/register_test.go") || got.LineNumber == 0 {
		t.Errorf("%s:%d", got.FileName, got.LineNumber)
	}
}
