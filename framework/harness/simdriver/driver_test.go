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

package simdriver

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestFailWithoutFaultsEndsThem(t *testing.T) {
	a := &agents{}
	f, d := newCase(t, a)
	f.Succeeds(t, func() { d.Fail() })
	if want := []string{`{"faults":[]}`}; !slices.Equal(a.changes, want) {
		t.Errorf("sent %v", a.changes)
	}
}

// A script without conditions is one, and not the one before.
func TestFabricIsToldToSayNothing(t *testing.T) {
	a := &agents{}
	f, d := newCase(t, a)
	f.Succeeds(t, func() {
		d.Fabric("node", spec.FabricCondition{Type: "a"})
		d.Fabric("node")
	})
	if want := []string{`{"fabric":[{"type":"a"}]}`, `{"fabric":[]}`}; !slices.Equal(a.changes, want) {
		t.Errorf("got %v", a.changes)
	}
}

// An instance was started again when the API server had just been replaced, and could
// not reach it yet by the address of its service.
func TestDriverIsChangedWhenItReachesTheServer(t *testing.T) {
	a := &agents{until: 3}
	f, d := newCase(t, a)
	f.Succeeds(t, d.Connect)
	if a.tries != 3 {
		t.Errorf("%d tries", a.tries)
	}
}

func TestAwaitSlices(t *testing.T) {
	f, d := newCase(t, &agents{}, wholePool())
	f.Succeeds(t, func() { d.AwaitSlices(1) })
	failed := f.Fails(t, func() { d.AwaitSlices(0) })
	if failed == nil {
		t.Fatal("there are no slices")
	}
	for _, part := range []string{"0 ResourceSlices of driver " + driverName, "last seen: 1 [node-driver-x]"} {
		if !strings.Contains(failed.Text, part) {
			t.Errorf("missing %q in: %s", part, failed.Text)
		}
	}
	if !strings.Contains(failed.Location, "driver_test.go") {
		t.Errorf("the failure is said to be at %s", failed.Location)
	}
}

func TestAwaitCallsCountsOnlyAnswers(t *testing.T) {
	call := spec.Call{Method: spec.Prepare, Claims: []spec.ClaimCall{{Name: "claim"}}}
	waiting := call
	waiting.InProgress = true
	f, d := newCase(t, &agents{status: func(string) (spec.DriverStatus, error) {
		return spec.DriverStatus{Calls: []spec.Call{call, waiting}}, nil
	}})
	want := func(n int) func([]spec.Call) bool { return func(c []spec.Call) bool { return len(c) == n } }
	f.Succeeds(t, func() { d.AwaitCalls(spec.Prepare, "claim", "one", want(1)) })
	failed := f.Fails(t, func() { d.AwaitCalls(spec.Prepare, "claim", "two", want(2)) })
	if failed == nil || !strings.Contains(failed.Text, "NodePrepareResources") || !strings.Contains(failed.Text, "claim=[]") {
		t.Errorf("failure: %+v", failed)
	}
}

func TestExpectCalls(t *testing.T) {
	call := spec.Call{Method: spec.Prepare, Claims: []spec.ClaimCall{{Name: "claim"}}}
	f, d := newCase(t, &agents{status: func(string) (spec.DriverStatus, error) {
		return spec.DriverStatus{Calls: []spec.Call{call, call}}, nil
	}})
	f.Succeeds(t, func() {
		d.ExpectCalls(spec.Prepare, "claim", 2, "")
		d.ExpectCalls(spec.Prepare, "other", 0, "")
		d.ExpectCallsAtLeast(spec.Prepare, "claim", 1, "")
	})
	for want, do := range map[string]func(){
		`expected 1 NodePrepareResources call(s) for claim "claim" while the pod runs, got 2` + "\n": func() { d.ExpectCalls(spec.Prepare, "claim", 1, "while the pod runs") },
		`expected at least 3 NodePrepareResources call(s) for claim "claim", got 2` + "\n":           func() { d.ExpectCallsAtLeast(spec.Prepare, "claim", 3, "") },
		`expected 1 NodeUnprepareResources call(s) for claim "claim", got 0` + "\n":                  func() { d.ExpectCalls(spec.Unprepare, "claim", 1, "") },
	} {
		if failed := f.Fails(t, do); failed == nil || !strings.HasPrefix(failed.Text, want) || !strings.Contains(failed.Location, "driver_test.go") {
			t.Errorf("got %+v, want %q", failed, want)
		}
	}
}

// What pods wait for ends before they are removed, and the driver once they are.
func TestDriverEndsWithItsCase(t *testing.T) {
	a, prepared := &agents{}, 3
	a.status = func(string) (spec.DriverStatus, error) {
		if prepared--; prepared > 0 {
			return spec.DriverStatus{Prepared: []types.UID{"claim-uid"}}, nil
		}
		if len(a.Stopped) > 0 {
			t.Error("stopped while the kubelet unprepares")
		}
		return spec.DriverStatus{}, nil
	}
	f, _ := newCase(t, a)
	if err := f.End(t); err != nil {
		t.Error(err)
	}
	if want := []string{`{"faults":[],"serve":true,"disconnect":false}`}; !slices.Equal(a.changes, want) {
		t.Errorf("changes %q", a.changes)
	}
	if want := []string{"node " + driverName}; prepared > 0 || !slices.Equal(a.Stopped, want) {
		t.Errorf("stopped %q, prepared %d", a.Stopped, prepared)
	}
}

func TestCallsAreEvidence(t *testing.T) {
	call := spec.Call{Method: spec.Prepare, Fault: spec.FaultHang, Error: "Internal"}
	a := &agents{status: func(string) (spec.DriverStatus, error) { return spec.DriverStatus{Calls: []spec.Call{call}}, nil }}
	f, d := newCase(t, a)
	failed := f.Fails(t, func() { f.Fatalf("no") })
	content, err := os.ReadFile(filepath.Join(f.Env().ReportDir, failed.Evidence, "driver", "node.json"))
	if err != nil || !strings.Contains(string(content), "Hang") {
		t.Errorf("%s: %v", content, err)
	}
	entries, missing := d.timeline(t.Context())
	if len(entries) != 1 || len(missing) != 0 || !strings.Contains(entries[0].Text, "NodePrepareResources") {
		t.Errorf("%+v, missing %q", entries, missing)
	}
	a.status = func(string) (spec.DriverStatus, error) { return spec.DriverStatus{}, os.ErrDeadlineExceeded }
	if entries, missing = d.timeline(t.Context()); len(entries) != 0 || len(missing) != 1 || !strings.Contains(missing[0], "driver calls on node") {
		t.Errorf("%+v, missing %q", entries, missing)
	}
}

// The API server showed for 0.3 s that a node had nothing to offer any more when the
// scheduler, which was late, placed one more pod there for it.
func TestSchedulerKnowsOfTheEndOfAnOffer(t *testing.T) {
	f, d := newCase(t, &agents{}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "other"}})
	f.Succeeds(t, func() { d.OfferOn("node", spec.DevicePlugin{Resource: "example.com/gpu"}) })
	if _, err := f.Client.CoreV1().Pods(harnesstest.Namespace).Get(t.Context(), "known", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the pod is left: %v", err)
	}
	if n, err := f.Client.CoreV1().Nodes().Get(t.Context(), "node", metav1.GetOptions{}); err != nil || len(n.Labels) != 0 {
		t.Errorf("%v, labels %v", err, n.Labels)
	}
}
