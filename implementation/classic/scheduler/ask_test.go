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

package scheduler

import (
	"errors"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
)

// While the API server is slow, other pods are tried, counting the nodes requested by others, and a
// pod's wake-ups are not lost.
func TestPodsAreTriedWhileOthersAreAskedFor(t *testing.T) {
	story(t, func(w *world) {
		w.startScheduler()
		w.plugin.cluster.classic = lateAnswers{w.classic, func(string) { time.Sleep(answerTime) }}
		w.settle()
		w.wantNodes(map[string]string{"one": "", "two": "", "plain": "a"})
		// The class suits one node only; pods request other nodes, or possibly others.
		w.suits("one", "c")
		w.settle()
		if !strings.Contains(w.last["one"], "are being asked") {
			t.Errorf("one: %s", w.last["one"])
		}
		w.settleFor(2 * answerTime)
		w.wantSelected("one", "c")
		w.startDriver("one", sampledriver.Config{Devices: 2})
		w.settle()
		w.wantNodes(map[string]string{"one": "c", "two": "c"})
	}, newClaim("first", "one", ""), newPod("one", "first"), newClaim("second", "one", ""), newPod("two", "second"), newPod("plain"))
}

// A node in a request is deleted or relabeled before the API server has the request. No event would
// report this later.
func TestNodeChangesWhileItIsBeingAskedAbout(t *testing.T) {
	story(t, func(w *world) {
		w.startScheduler()
		w.plugin.cluster.classic = lateAnswers{w.classic, func(string) { time.Sleep(answerTime) }}
		w.settle()
		before := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
		after := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"name": "a"}}}
		for _, after := range []any{nil, after} {
			if hint, err := w.plugin.afterNodeChange(klog.Background(), w.pod("pod"), before, after); err != nil || hint != fwk.Queue {
				t.Errorf("node is %v now: got %v, %v", after, hint, err)
			}
		}
		w.attempt("pod")
		if !strings.Contains(w.last["pod"], "are being asked") {
			t.Errorf("pod: %s", w.last["pod"])
		}
		w.settleFor(2 * answerTime)
		if w.attempts != 3 {
			t.Errorf("%d attempts, want one that asks, one that is turned away and one that makes up for it", w.attempts)
		}
	}, newClaim("claim", "one", ""), newPod("pod", "claim"))
}

// A failed write is reported, and the pod is retried with a growing delay; it used to be a second
// forever.
func TestAskingFails(t *testing.T) {
	for name, failure := range map[string]error{
		"space":    errors.New("no space left"),
		"outdated": apierrors.NewAlreadyExists(v1alpha1.GroupVersion().WithResource("podschedulings").GroupResource(), "pod"),
	} {
		story(t, func(w *world) {
			fails, failures := true, 0
			w.classic.PrependReactor("create", "podschedulings", func(clienttesting.Action) (bool, runtime.Object, error) {
				if fails {
					failures++
				}
				return fails, nil, failure
			})
			w.startScheduler()
			w.settleFor(time.Hour)
			if failures < 100 || failures > 140 || w.attempts > 2*failures+1 {
				t.Errorf("%s: %d failures and %d attempts in an hour", name, failures, w.attempts)
			}
			reported := false
			w.beforeAttempt = func() { reported = reported || strings.Contains(w.last["pod"], failure.Error()) }
			w.settleFor(time.Minute)
			if !reported {
				t.Errorf("%s: pod: %s", name, w.last["pod"])
			}
			fails = false
			w.startDriver("one", sampledriver.Config{Devices: 1})
			w.settleFor(time.Minute)
			w.wantNodes(map[string]string{"pod": "a"})
		}, newClaim("claim", "one", ""), newPod("pod", "claim"))
	}
}
