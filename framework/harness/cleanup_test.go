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
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestDriverName(t *testing.T) {
	for _, tc := range []struct{ name, id, want string }{
		{"short", "core/count", "count-abcde.dra-conformance.github.io"},
		{"long", "core/" + strings.Repeat("a", 70), strings.Repeat("a", 31) + "-abcde.dra-conformance.github.io"},
		{"cut at a dash", "core/" + strings.Repeat("a", 30) + "-b", strings.Repeat("a", 30) + "-abcde.dra-conformance.github.io"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := DriverName(tc.id, namespace)
			if got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			if err := (spec.DriverConfig{Name: got}).Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestIsDriverOfCase(t *testing.T) {
	ofCase := DriverName("core/count", NamespacePrefix+rand.String(5))
	for name, want := range map[string]bool{
		ofCase: true, "killed-x7k2b" + driverDomain: true,
		"standalone" + driverDomain: false, "dra-sim" + driverDomain: false, "my-fabric" + driverDomain: false, "gpu-x7k2b.example.com": false,
	} {
		if got := IsDriverOfCase(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestNamespaceIn(t *testing.T) {
	for step, want := range map[string]string{
		fmt.Sprintf(namespaceStep+"%s, %s", "dratest-x7k2b", "on n"): "dratest-x7k2b",
		"": "", "in namespace default, on n": "", "create pod in namespace dratest-x7k2b, again": "",
	} {
		if got := NamespaceIn(step); got != want {
			t.Errorf("%q: got %q, want %q", step, got, want)
		}
	}
}

func TestPickNodes(t *testing.T) {
	workers := []string{"a", "b", "c"}
	seen := map[string]bool{}
	for _, id := range []string{"x/1", "x/2", "x/3", "x/4", "x/5", "x/6"} {
		one, two := pickNodes(workers, 1, id), pickNodes(workers, 2, id)
		if len(one) != 1 || len(two) != 2 || two[0] == two[1] || two[0] != one[0] {
			t.Errorf("%s: one %v, two %v", id, one, two)
		}
		if !slices.Equal(one, pickNodes(workers, 1, id)) {
			t.Errorf("%s: not always the same", id)
		}
		seen[one[0]] = true
	}
	if len(seen) < 2 {
		t.Errorf("all cases are on %v", seen)
	}
	if got := pickNodes(workers[:1], 2, "x/1"); len(got) != 1 {
		t.Errorf("more nodes than there are: %v", got)
	}
}

func TestSkipOf(t *testing.T) {
	skip := &spec.Skip{Code: spec.SkipNodes, Text: "too few"}
	p := spec.Plan{Entries: []spec.Entry{{Meta: spec.Meta{ID: "a/runs"}}, {Meta: spec.Meta{ID: "a/skipped"}, Skip: skip}}}
	for id, want := range map[string]*spec.Skip{"a/runs": nil, "a/skipped": skip, "a/other": nil} {
		if got := skipOf(p, id); got != want {
			t.Errorf("%s: %v", id, got)
		}
	}
}

func TestOutcome(t *testing.T) {
	failed := types.Failure{Message: "one is not two", Location: types.CodeLocation{FileName: "/x/suites/core/count.go", LineNumber: 7}}
	for _, tc := range []struct {
		name    string
		state   types.SpecState
		failure types.Failure
		blocked string
		want    spec.Outcome
	}{
		{"passed", types.SpecStatePassed, types.Failure{}, "", spec.Outcome{Status: spec.Passed}},
		{"failed", types.SpecStateFailed, failed, "", spec.Outcome{
			Status: spec.Failed, Failure: "one is not two", Location: "suites/core/count.go:7", LastStep: "wait for it",
		}},
		{"panicked", types.SpecStatePanicked, types.Failure{Message: "Test Panicked", ForwardedPanic: "oops"}, "", spec.Outcome{
			Status: spec.Failed, Failure: "Test Panicked: oops", LastStep: "wait for it",
		}},
		{"timed out", types.SpecStateTimedout, types.Failure{Message: "too long"}, "", spec.Outcome{
			Status: spec.Failed, Failure: "too long", LastStep: "wait for it",
		}},
		{"the run timed out", types.SpecStateTimedout, types.Failure{Message: suiteTimedOut}, "", spec.Outcome{
			Status: spec.Blocked, Reason: "the run's time limit was reached", Failure: suiteTimedOut, LastStep: "wait for it",
		}},
		{"did not start", types.SpecStateFailed, types.Failure{Message: "create namespace: no"}, "it is the environment", spec.Outcome{
			Status: spec.Blocked, Reason: "it is the environment", Failure: "create namespace: no", LastStep: "wait for it",
		}},
		{"interrupted", types.SpecStateInterrupted, types.Failure{Message: "interrupted"}, "", spec.Outcome{
			Status: spec.Blocked, Reason: "the run was interrupted", Failure: "interrupted", LastStep: "wait for it",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newT(spec.Meta{ID: "area/case"}, &Env{})
			f.blocked = tc.blocked
			f.Step("wait for it")
			got := f.outcome(types.SpecReport{State: tc.state, Failure: tc.failure, RunTime: time.Second})
			tc.want.ID, tc.want.Started, tc.want.Duration = "area/case", f.started, time.Second
			if diff := cmp.Diff(tc.want, *got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestExpectationsAreLocatedInTheCase(t *testing.T) {
	f := newFake(t)
	failed := failureOf(func() { f.Expect(1).To(gomega.Equal(2), "one is not two") })
	if failed == nil || !strings.HasSuffix(failed.location.FileName, "cleanup_test.go") || !strings.HasPrefix(failed.message, "one is not two") {
		t.Fatalf("failure: %+v", failed)
	}
}

func TestStuckObjectsAreNamed(t *testing.T) {
	f := newFake(t)
	stuck := claim(func(c *resourceapi.ResourceClaim) { c.Finalizers = []string{"keep"} })
	if _, err := f.Client.ResourceV1().ResourceClaims(namespace).Create(f.ctx, stuck, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, errors.New("the time is up"))
	defer cancel()
	claims := await.NewSource(f.Client, &resourceapi.ResourceClaim{}, f.Client.ResourceV1().ResourceClaims(namespace), "")
	err := awaitNone(ctx, "claims", claims, describe.Claim)
	for _, part := range []string{"remove claims", "the time is up", "claim: not allocated", "[keep]"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("missing %q in: %v", part, err)
		}
	}
	pods := await.NewSource(f.Client, &corev1.Pod{}, f.Client.CoreV1().Pods(namespace), "")
	if err := awaitNone(t.Context(), "pods", pods, describe.Pod); err != nil {
		t.Error(err)
	}
}
