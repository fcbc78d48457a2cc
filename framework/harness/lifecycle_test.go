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
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

func lifeOn(t *testing.T, w *world) *Lifecycle {
	t.Helper()
	device := spec.Profile{Pools: []spec.Pool{{Devices: []resourceapi.Device{{Name: "device"}}}}}
	target := spec.Target{Nodes: []spec.Node{{Name: "node", OS: "linux", Schedulable: true}}}
	return NewLifecycle(spec.Meta{ID: "area/case", Checks: "It holds.", Needs: spec.Needs{Profile: device}}, &Env{
		Plan: spec.Plan{Target: target}, Agents: w, Driver: w.driver, ReportDir: t.TempDir(), Connect: w.connect, RemoveTimeout: time.Second,
	})
}

// A case continued in another process finds its namespace and its driver; cluster-scoped
// objects are removed with the rest.
func TestLifeGoesOnInAnotherProcess(t *testing.T) {
	w := newWorld()
	first := lifeOn(t, w)
	if f := first.Begin(t.Context()); f != nil {
		t.Fatal(f.Text)
	}
	f := first.Run(t.Context(), time.Minute, func(t *T) {
		t.CreateClass(nil)
		t.Create(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod"}})
	})
	if f != nil {
		t.Fatal(f.Text)
	}
	second := lifeOn(t, w)
	w.refuse["get namespaces"] = 1 // an API server that was just upgraded
	if f := second.Resume(t.Context(), first.Namespace()); f != nil {
		t.Fatal(f.Text)
	}
	if f := second.Run(t.Context(), time.Minute, func(t *T) { t.WaitRunning("pod") }); f != nil {
		t.Fatal(f.Text)
	}
	if err := second.End(t.Context()); err != nil {
		t.Error(err)
	}
	driver := DriverName("area/case", first.Namespace())
	for _, did := range []string{"delete-collection pods", "delete deviceclass " + driver, "delete namespaces"} {
		if !slices.Contains(w.log, did) {
			t.Errorf("no %q in %q", did, w.log)
		}
	}
	if f := lifeOn(t, w).Resume(t.Context(), "gone"); f == nil || !strings.Contains(f.Text, "find namespace gone") {
		t.Errorf("a namespace that is gone: %+v", f)
	}
}

func TestFailedPieceHasItsEvidence(t *testing.T) {
	w := newWorld()
	l := lifeOn(t, w)
	if f := l.Begin(t.Context()); f != nil {
		t.Fatal(f.Text)
	}
	f := l.Run(t.Context(), time.Minute, func(t *T) {
		t.Step("look at %s", "something")
		t.Fatalf("it is not %s", "there")
	})
	if f == nil || f.Text != "it is not there" || f.LastStep != "look at something" || f.Blocked != "" || !strings.Contains(f.Location, "lifecycle_test.go") {
		t.Fatalf("got %+v", f)
	}
	steps, err := os.ReadFile(filepath.Join(l.t.env.ReportDir, f.Evidence, "steps.txt"))
	if err != nil || !strings.Contains(string(steps), "it is not there") {
		t.Errorf("%s, %v", steps, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f = l.Run(ctx, time.Minute, func(t *T) { t.WaitRunning("pod") })
	if f == nil || f.Evidence != "" {
		t.Errorf("interrupted: %+v", f)
	}
}

// upgrade/two-generations wrote to a nil map and ended the upgrade of all cases.
func TestPanicOfAPieceIsItsFailure(t *testing.T) {
	l := lifeOn(t, newWorld())
	if f := l.Begin(t.Context()); f != nil {
		t.Fatal(f.Text)
	}
	f := l.Run(t.Context(), time.Minute, func(*T) {
		var notes struct{ rounds map[string]int }
		notes.rounds["a"] = 1
	})
	if f == nil || f.Text != "panic: assignment to entry in nil map" || f.Location == "" || f.Blocked != "" || f.Evidence == "" {
		t.Fatalf("got %+v", f)
	}
	steps, err := os.ReadFile(filepath.Join(l.t.env.ReportDir, f.Evidence, "steps.txt"))
	if err != nil || !strings.Contains(string(steps), "TestPanicOfAPieceIsItsFailure") {
		t.Errorf("no stack in the steps: %v\n%s", err, steps)
	}
	if f := l.Run(t.Context(), time.Minute, func(*T) {}); f != nil {
		t.Errorf("the next piece: %+v", f)
	}
}

func TestLifeThatCannotBegin(t *testing.T) {
	w := newWorld()
	w.refuse["create namespaces"] = 1
	if f := lifeOn(t, w).Begin(t.Context()); f == nil || f.Blocked == "" || !strings.Contains(f.Text, "create namespace") {
		t.Errorf("got %+v", f)
	}
}

// A known issue belongs to its piece.
func TestKnownIssueOfAPiece(t *testing.T) {
	w := newWorld()
	l := lifeOn(t, w)
	l.t.meta.KnownIssue = &spec.KnownIssue{Issue: "kubernetes#1", Component: spec.Scheduler, Through: "1.37"}
	l.t.env.Plan.Target.Running = []spec.Component{{Name: spec.Scheduler, Program: "kube-scheduler", Version: "v1.37.1", Whose: spec.Stock, Basis: spec.Proven}}
	if f := l.Begin(t.Context()); f != nil {
		t.Fatal(f.Text)
	}
	if f := l.Run(t.Context(), time.Minute, func(t *T) { t.KnownIssue("it does %d things", 2) }); f != nil {
		t.Errorf("%+v", f)
	}
	status, seen, evidence := l.KnownIssue()
	if seen != "kubernetes#1: it does 2 things" || status != spec.Known {
		t.Errorf("%s: known issue %q", status, seen)
	}
	if _, err := os.Stat(filepath.Join(l.t.env.ReportDir, evidence, "steps.txt")); evidence == "" || err != nil {
		t.Errorf("evidence %q: %v", evidence, err)
	}
	if f := l.Run(t.Context(), time.Minute, func(*T) {}); f != nil {
		t.Errorf("%+v", f)
	}
	if _, seen, _ := l.KnownIssue(); seen != "" {
		t.Errorf("known issue %q in the next piece", seen)
	}
}
