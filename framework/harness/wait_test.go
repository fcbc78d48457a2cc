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
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	kubetesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestFailedWaitsReportTheLastObservation(t *testing.T) {
	pending := pod(func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "cannot allocate all claims",
		}}
	})
	ended := pod(func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed })
	placed := pod(func(p *corev1.Pod) { p.Spec.NodeName = "node" })
	allocated := claim(func(c *resourceapi.ResourceClaim) {
		c.Finalizers = []string{"keep"}
		c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
			Results: []resourceapi.DeviceRequestAllocationResult{{Request: "req", Pool: "node", Device: "device-0"}},
		}}
		c.Status.Devices = []resourceapi.AllocatedDeviceStatus{{
			Pool: "node", Device: "device-0", Conditions: []metav1.Condition{{Type: "Attached", Status: metav1.ConditionFalse}},
		}}
	})
	reported := event("e", "FailedPrepareDynamicResources", "out of coffee", time.Now())
	for _, tc := range []struct {
		name    string
		objects []runtime.Object
		wait    func(t *T)
		want    []string // parts of the failure; none means no failure
	}{
		{"no pod", nil, func(t *T) { t.WaitRunning("pod") }, []string{"timed out after ", `waiting for pod "pod" to be running: the time is up`, "last seen: no such pod"}},
		{"pod pending", []runtime.Object{pending, reported}, func(t *T) { t.WaitRunning("pod") }, []string{
			"phase Pending", "PodScheduled=False Unschedulable: cannot allocate all claims",
			"event: Warning FailedPrepareDynamicResources: out of coffee",
		}},
		{"pod ended", []runtime.Object{ended}, func(t *T) { t.WaitRunning("pod") }, []string{`waiting for pod "pod" to be running: it has ended`, "phase Failed"}},
		{"unschedulable", []runtime.Object{pending}, func(t *T) { t.WaitUnschedulable("pod", "cannot allocate") }, nil},
		{"other message", []runtime.Object{pending}, func(t *T) { t.WaitUnschedulable("pod", "CEL") }, []string{`"CEL"`, "cannot allocate all claims"}},
		{"scheduled", []runtime.Object{placed}, func(t *T) { t.WaitUnschedulable("pod", "x") }, []string{"it was scheduled", `on node "node"`}},
		{"pod stays", []runtime.Object{placed}, func(t *T) { t.WaitPodGone("pod") }, []string{`waiting for pod "pod" to be gone`, `on node "node"`}},
		{"pod gone", nil, func(t *T) { t.WaitPodGone("pod") }, nil},
		{"claim allocated", []runtime.Object{allocated}, func(t *T) { t.WaitAllocated("claim") }, nil},
		{"claim keeps allocation", []runtime.Object{allocated}, func(t *T) { t.WaitDeallocated("claim") }, []string{"req=node/device-0", "finalizers [keep]", "node/device-0 Attached=False"}},
		{"bound", []runtime.Object{placed}, func(t *T) { t.WaitScheduled("pod") }, nil},
		{"not bound", []runtime.Object{pending}, func(t *T) { t.WaitScheduled("pod") }, []string{"to be scheduled", "cannot allocate all claims"}},
		{"claim stays", []runtime.Object{allocated}, func(t *T) { t.WaitClaimGone("claim") }, []string{`claim "claim" to be gone`, "device-0"}},
		{"event", []runtime.Object{reported}, func(t *T) { t.WaitEvent("pod", "FailedPrepareDynamicResources", "coffee") }, nil},
		{"other event", []runtime.Object{reported}, func(t *T) { t.WaitEvent("pod", "FailedPrepareDynamicResources", "tea") }, []string{`"tea"`, "out of coffee"}},
		{"no event", nil, func(t *T) { t.WaitEvent("pod", "R", "tea") }, []string{"last seen: no events"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, tc.objects...)
			if tc.want == nil {
				succeeds(t, f, func() { tc.wait(f) })
				return
			}
			got := failureOf(func() { tc.wait(f) })
			if got == nil {
				t.Fatalf("no failure, want %q", tc.want)
			}
			for _, part := range tc.want {
				if !strings.Contains(got.message, part) {
					t.Errorf("missing %q in: %s", part, got.message)
				}
			}
			if !strings.HasSuffix(got.location.FileName, "wait_test.go") {
				t.Errorf("the failure is said to be at %s", got.location)
			}
		})
	}
}

// A wait for pod "pod" to be running again ended because the container could not be created, and its note
// said that the pod was running again.
func TestNotesOfWaitsAreObservations(t *testing.T) {
	refused := pod(func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodRunning
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "main", RestartCount: 1, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CreateContainerError", Message: "unresolvable CDI devices"}},
		}}
	})
	unused := claim(func(*resourceapi.ResourceClaim) {})
	reported := event("e", "FailedPrepareDynamicResources", "out of coffee", time.Now())
	other := event("f", "Pulled", "image", time.Now())
	look := func(ok bool, seen string) func(context.Context) (bool, string, error) {
		return func(context.Context) (bool, string, error) { return ok, seen, nil }
	}
	for _, tc := range []struct {
		name    string
		objects []runtime.Object
		wait    func(t *T)
		want    []string // the steps
	}{
		{"pod in another state", []runtime.Object{refused}, func(t *T) {
			t.WaitPod("pod", "running again", func(*corev1.Pod) (bool, error) { return true, nil })
		}, []string{`waiting for pod "pod" to be running again`, `  seen: phase Running on node ""; container main waits: CreateContainerError unresolvable CDI devices; container main restarted 1 time(s)`}},
		{"claim in another state", []runtime.Object{unused}, func(t *T) {
			t.WaitClaim("claim", "allocated", func(*resourceapi.ResourceClaim) bool { return true })
		}, []string{`waiting for claim "claim" to be allocated`, "  seen: not allocated; reserved for 0; finalizers []"}},
		{"pod gone", nil, func(t *T) { t.WaitPodGone("pod") }, []string{`waiting for pod "pod" to be gone`, "  seen: no such pod"}},
		{"event", []runtime.Object{reported, other}, func(t *T) { t.WaitEvent("pod", "FailedPrepareDynamicResources", "coffee") },
			[]string{`waiting for event FailedPrepareDynamicResources of pod containing "coffee"`, "  seen: Warning FailedPrepareDynamicResources: out of coffee"}},
		{"poll", nil, func(t *T) { t.Poll("two calls", look(true, "3 calls")) }, []string{"waiting for two calls", "  seen: 3 calls"}},
		{"in vain", nil, func(t *T) { t.OccursWithin(time.Second/4, "a call", look(false, "0 calls")) },
			[]string{"waiting for a call, for up to 250ms", "  seen: not within 250ms: 0 calls"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, tc.objects...)
			succeeds(t, f, func() { tc.wait(f) })
			var got []string
			for _, s := range f.stepsSoFar() {
				got = append(got, s.text)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWaitSeesChanges(t *testing.T) {
	f := newFake(t, pod(func(*corev1.Pod) {}))
	go func() {
		running := pod(func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning })
		_, _ = f.Client.CoreV1().Pods(namespace).UpdateStatus(t.Context(), running, metav1.UpdateOptions{})
	}()
	succeeds(t, f, func() { f.WaitRunning("pod") })
}

func TestWaitSaysHowTheLastLookFailed(t *testing.T) {
	f := newFake(t)
	f.Client.(*fake.Clientset).PrependReactor("*", "pods", func(kubetesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("you may not")
	})
	failed := failureOf(func() { f.WaitRunning("pod") })
	if failed == nil || !strings.Contains(failed.message, "the time is up (you may not)") {
		t.Errorf("failure: %+v", failed)
	}
}

// A restarting control plane is unavailable for longer than other waits tolerate.
func TestPatienceWithANodeThatRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		ctx, cancel := context.WithTimeout(t.Context(), 10*await.Patience)
		defer cancel()
		f.ctx = ctx
		began := time.Now()
		look := func(context.Context) (bool, string, error) {
			if time.Since(began) < 4*await.Patience {
				return false, "", errors.New("connection refused")
			}
			return true, "it answers", nil
		}
		if failed := failureOf(func() { f.PollPatiently("the node", 10*await.Patience, look) }); failed != nil {
			t.Error(failed.message)
		}
		began = time.Now()
		if failed := failureOf(func() { f.Poll("anything else", look) }); failed == nil || time.Since(began) > 2*await.Patience {
			t.Errorf("%v after %s", failed, time.Since(began))
		}
	})
}

func TestPodWithoutAFreeDeviceIsNotTheDriversFault(t *testing.T) {
	for node, blocked := range map[string]bool{"": true, "worker": false} {
		f := newFake(t, pod(func(p *corev1.Pod) { p.Spec.NodeName = node }))
		f.env.Plan.Target.DriverUnderTest = &spec.DriverUnderTest{Driver: "gpu.example.com"}
		if failureOf(func() { f.WaitRunning("pod") }) == nil || (f.blocked != "") != blocked {
			t.Errorf("on node %q: blocked is %q", node, f.blocked)
		}
	}
}
