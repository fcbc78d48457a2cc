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
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	clienttesting "k8s.io/client-go/testing"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
	"github.com/dra-conformance/dratest/implementation/scheduler"
)

// A claim costs one more attempt than a pod without claims, and nothing is leaked.
func TestDelayedAllocation(t *testing.T) {
	story(t, func(w *world) {
		w.startDriver("one", sampledriver.Config{Devices: 1})
		w.startScheduler()
		w.settle()
		w.wantNodes(map[string]string{"pod": "a"})
		w.wantClaim("claim", 1, "a")
		if w.attempts != 2 {
			t.Errorf("%d attempts, want one that asks and one that binds", w.attempts)
		}
		if w.scheduling("pod") != nil {
			t.Error("the PodScheduling of a pod that is bound is left")
		}
	}, newClaim("claim", "one", ""), newPod("pod", "claim"))
}

func TestDriverComesLater(t *testing.T) {
	story(t, func(w *world) {
		w.startScheduler()
		w.settle()
		w.wantNodes(map[string]string{"pod": "", "eager": ""})
		if spec := w.scheduling("pod").Spec; spec.SelectedNode != "a" || len(spec.PotentialNodes) != 3 {
			t.Errorf("asked %v", spec)
		}
		if w.scheduling("eager") != nil {
			t.Error("nobody is to be asked for a claim that is allocated immediately")
		}
		w.startDriver("one", sampledriver.Config{Devices: 2})
		w.settle()
		w.wantNodes(map[string]string{"pod": "a", "eager": "a"})
	}, newClaim("claim", "one", ""), newPod("pod", "claim"), newClaim("now", "one", immediate), newPod("eager", "now"))
}

func TestTwoDriversAgree(t *testing.T) {
	story(t, func(w *world) {
		w.startDriver("one", sampledriver.Config{Devices: 1, Refuse: []string{"a"}})
		w.startDriver("two", sampledriver.Config{Devices: 1, Refuse: []string{"b"}})
		w.startScheduler()
		w.settle()
		w.wantNodes(map[string]string{"pod": "c"})
		w.wantClaim("first", 1, "c")
		w.wantClaim("second", 1, "c")
		if w.attempts > 4 {
			t.Errorf("%d attempts", w.attempts)
		}
	}, newClaim("first", "one", ""), newClaim("second", "two", ""), newPod("pod", "first", "second"))
}

func TestUserLimit(t *testing.T) {
	story(t, func(w *world) {
		w.startDriver("one", sampledriver.Config{Devices: 1})
		w.startScheduler()
		w.settle()
		w.wantClaim("claim", 2, "a")
		w.wantNodes(map[string]string{"p1": "a", "p2": "a", "p3": ""})
		if !strings.Contains(w.last["p3"], "as many users as it may have") {
			t.Errorf("p3: %s", w.last["p3"])
		}
		w.end("p1")
		w.settle()
		w.wantNodes(map[string]string{"p3": "a"})
		w.wantClaim("claim", 2, "a")
	}, newClaim("claim", "one", shared), newPod("p1", "claim"), newPod("p2", "claim"), newPod("p3", "claim"))
}

// The node fills up after it was selected, before or after the driver has allocated.
func TestSelectedNodeFillsUp(t *testing.T) {
	for _, allocated := range []bool{false, true} {
		story(t, func(w *world) {
			if allocated {
				w.startDriver("one", sampledriver.Config{Devices: 1})
			}
			w.startScheduler()
			w.beforeAttempt = func() {
				if w.attempts == 1 {
					w.full.Insert("a")
				}
			}
			w.settle()
			if !allocated {
				w.full.Insert("a")
				w.startDriver("one", sampledriver.Config{Devices: 1})
				w.settle()
			}
			w.wantNodes(map[string]string{"pod": "b"})
			w.wantClaim("claim", 1, "b")
		}, newClaim("claim", "one", ""), newPod("pod", "claim"))
	}
}

// The class changes to suit another node while the allocating driver is down. Nobody retried the
// pod: when the driver was back, the pod was bound to an unsuitable node.
func TestSuitableNodesChangeWhileADriverIsAsked(t *testing.T) {
	story(t, func(w *world) {
		w.suits("one", "a")
		w.startScheduler()
		w.settle()
		w.wantSelected("pod", "a")
		w.suits("one", "b")
		w.settle()
		w.wantSelected("pod", "b")
		w.suits("one", "nowhere")
		w.settle()
		w.wantSelected("pod", "")
		w.suits("one", "c")
		w.settle()
		w.wantSelected("pod", "c")
		w.startDriver("one", sampledriver.Config{Devices: 1})
		w.settle()
		w.wantNodes(map[string]string{"pod": "c"})
		w.suits("one", "a")
		w.settle()
		w.wantClaim("claim", 1, "c")
	}, newClaim("claim", "one", ""), newPod("pod", "claim"))
}

// The class suits the requested node again, after an attempt found it unsuitable and before the
// next one, which excludes the node, or during an attempt. Nobody retried the pod after that.
func TestSuitableNodesChangeAgain(t *testing.T) {
	for name, again := range map[string]func(*world){
		"between two attempts": func(w *world) {
			synctest.Wait()
			pod, _ := w.handle.next()
			w.attempt(pod)
			w.suits("one", "a")
		},
		"during an attempt": func(w *world) {
			w.afterFilter = func() {
				w.afterFilter = nil
				w.suits("one", "a")
				synctest.Wait()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			story(t, func(w *world) {
				w.suits("one", "a")
				w.startScheduler()
				w.settle()
				w.wantSelected("pod", "a")
				w.suits("one", "nowhere")
				again(w)
				w.settle()
				w.wantSelected("pod", "a")
			}, newClaim("claim", "one", ""), newPod("pod", "claim"))
		})
	}
}

// A claim allocated where the pod cannot run is reallocated, once nobody else uses it.
func TestReallocation(t *testing.T) {
	story(t, func(w *world) {
		w.startDriver("one", sampledriver.Config{Devices: 1})
		w.startScheduler()
		w.settle()
		w.wantNodes(map[string]string{"p1": "a"})
		w.full.Insert("a")
		_, err := w.CoreV1().Pods("ns").Create(w.Ctx, newPod("p2", "claim"), metav1.CreateOptions{})
		w.Must(err)
		w.settle()
		w.wantNodes(map[string]string{"p2": ""})
		w.wantClaim("claim", 1, "a")
		w.end("p1")
		w.settle()
		w.wantNodes(map[string]string{"p2": "b"})
		w.wantClaim("claim", 1, "b")
	}, newClaim("claim", "one", shared), newPod("p1", "claim"))
}

// One driver has allocated on a node, and the other then rejects it: while trying other nodes, the
// reason for excluding the requested ones was forgotten, and the pod was retried over and over.
func TestOneDriverHasAllocatedWhereAnotherRefuses(t *testing.T) {
	story(t, func(w *world) {
		w.startDriver("one", sampledriver.Config{Devices: 1})
		stop := w.startDriver("two", sampledriver.Config{Devices: 1, FailAllocate: -1})
		w.startScheduler()
		w.settle()
		w.wantClaim("first", 1, "a")
		stop()
		w.startDriver("two", sampledriver.Config{Devices: 1, Refuse: []string{"a"}})
		w.settle()
		w.wantNodes(map[string]string{"pod": "b"})
		w.wantClaim("first", 1, "b")
		w.wantClaim("second", 1, "b")
		if w.attempts > 12 {
			t.Errorf("%d attempts", w.attempts)
		}
	}, newClaim("first", "one", ""), newClaim("second", "two", ""), newPod("pod", "first", "second"))
}

// The driver would allocate a claim with immediate allocation at the same place: the scheduler
// would have it freed and allocated forever.
func TestImmediateClaimIsNotReallocated(t *testing.T) {
	story(t, func(w *world) {
		w.startDriver("one", sampledriver.Config{Devices: 1})
		w.full.Insert("a")
		w.startScheduler()
		w.settle()
		w.wantNodes(map[string]string{"pod": ""})
		w.wantClaim("claim", 0, "a")
	}, newClaim("claim", "one", immediate), newPod("pod", "claim"))
}

// After a scheduler crash at any point, its successor continues.
func TestSchedulerIsKilled(t *testing.T) {
	story(t, func(w *world) {
		w.startDriver("one", sampledriver.Config{Devices: 1, Refuse: []string{"a"}})
		w.startDriver("two", sampledriver.Config{Devices: 1, Refuse: []string{"b"}})
		w.startScheduler()
		kills := 0
		w.beforeAttempt = func() {
			kills++
			if kills < 20 {
				w.startScheduler()
			}
		}
		w.settle()
		w.wantNodes(map[string]string{"pod": "c"})
		w.wantClaim("first", 1, "c")
		w.wantClaim("second", 1, "c")
	}, newClaim("first", "one", ""), newClaim("second", "two", ""), newPod("pod", "first", "second"))
}

// The driver's controller crashes after a request, and the pod is deleted before the successor has
// read anything.
func TestPodIsDeletedWhileTheDriverIsAway(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	story(t, func(w *world) {
		stop := w.startDriver("one", sampledriver.Config{Devices: 1, StateFile: file})
		w.startScheduler()
		w.settle()
		w.wantClaim("claim", 1, "a")
		stop()
		w.end("pod")
		w.wantClaim("claim", 0, "a")
		w.startDriver("one", sampledriver.Config{Devices: 1, StateFile: file})
		w.settle()
		w.wantClaim("claim", 0, "")
		_, err := w.CoreV1().Pods("ns").Create(w.Ctx, newPod("next", "claim"), metav1.CreateOptions{})
		w.Must(err)
		w.settle()
		w.wantNodes(map[string]string{"next": "a"})
	}, newClaim("claim", "one", ""), newPod("pod", "claim"))
}

// Two pods with the same two claims do not deadlock.
func TestPodsWithTheSameClaims(t *testing.T) {
	story(t, func(w *world) {
		w.startScheduler()
		w.settle()
		w.startDriver("one", sampledriver.Config{Devices: 1})
		w.settle()
		w.startDriver("two", sampledriver.Config{Devices: 1})
		w.settle()
		bound := 0
		for _, name := range []string{"p1", "p2"} {
			if w.pod(name).Spec.NodeName != "" {
				bound++
				w.end(name)
			}
		}
		if bound != 1 {
			t.Errorf("%d pods are bound: %v", bound, w.last)
		}
		w.settle()
		w.wantClaim("first", 1, "a")
		w.wantClaim("second", 1, "a")
	}, newClaim("first", "one", ""), newClaim("second", "two", ""), newPod("p1", "first", "second"), newPod("p2", "second", "first"))
}

// A PodScheduling of an earlier pod with the same name does not count.
func TestPodSchedulingOfAnotherPod(t *testing.T) {
	story(t, func(w *world) {
		_, err := w.classic.PodSchedulings("ns").Create(w.Ctx, &v1alpha1.PodScheduling{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "pod", OwnerReferences: []metav1.OwnerReference{{Kind: "Pod", Name: "pod", UID: "earlier"}}},
			Spec:       v1alpha1.PodSchedulingSpec{SelectedNode: "c"},
		}, metav1.CreateOptions{})
		w.Must(err)
		w.startScheduler()
		w.startDriver("one", sampledriver.Config{Devices: 1})
		w.settleFor(time.Second)
		w.wantNodes(map[string]string{"pod": "a"})
	}, newClaim("claim", "one", ""), newPod("pod", "claim"))
}

// A driver answers while the scheduler writes another request. The request is planned again in
// another attempt.
func TestWriteThatConflicts(t *testing.T) {
	story(t, func(w *world) {
		conflicts := 0
		w.classic.PrependReactor("update", "podschedulings", func(action clienttesting.Action) (bool, runtime.Object, error) {
			if action.GetSubresource() != "" || conflicts == 2 {
				return false, nil, nil
			}
			conflicts++
			return true, nil, apierrors.NewConflict(v1alpha1.GroupVersion().WithResource("podschedulings").GroupResource(), "pod", errors.New("it is another version"))
		})
		w.startDriver("one", sampledriver.Config{Devices: 1, Refuse: []string{"a"}})
		w.startScheduler()
		w.settleFor(time.Second)
		w.wantNodes(map[string]string{"pod": "b"})
		if conflicts != 2 || w.attempts != 5 {
			t.Errorf("%d conflicts, %d attempts", conflicts, w.attempts)
		}
	}, newClaim("claim", "one", ""), newPod("pod", "claim"))
}

// Pods waiting for devices cause no API calls. A freed device goes to one of them.
func TestWaitingPodsAskNothing(t *testing.T) {
	story(t, func(w *world) {
		w.startDriver("one", sampledriver.Config{Devices: 1, Network: true})
		w.startScheduler()
		w.settle()
		w.wantNodes(map[string]string{"p1": "a", "p2": ""})
		time.Sleep(time.Minute) // The driver rechecks suitable nodes.
		w.settle()
		calls := len(w.Actions()) + len(w.classic.Actions())
		attempts := w.attempts
		time.Sleep(time.Hour)
		w.settle()
		if more := len(w.Actions()) + len(w.classic.Actions()) - calls; more > 0 || w.attempts != attempts {
			t.Errorf("%d calls and %d attempts in an hour", more, w.attempts-attempts)
		}
		w.end("p1")
		w.settle()
		time.Sleep(2 * time.Second) // much less than the driver's recheck period
		w.settle()
		w.wantNodes(map[string]string{"p2": "a"})
	}, newClaim("c1", "one", ""), newClaim("c2", "one", ""), newPod("p1", "c1"), newPod("p2", "c2"))
}

// Pods without classic claims work without the CRDs.
func TestWithoutDefinitions(t *testing.T) {
	story(t, func(w *world) {
		w.classic.PrependReactor("list", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewNotFound(action.GetResource().GroupResource(), "")
		})
		w.startScheduler()
		w.settle()
		w.wantNodes(map[string]string{"plain": "a", "pod": ""})
		if !strings.Contains(w.last["pod"], "not been read yet") {
			t.Errorf("pod: %s", w.last["pod"])
		}
	}, newClaim("claim", "one", ""), newPod("pod", "claim"), newPod("plain"))
}

// A pod tried before the first read, of a class that does not exist, names the class afterwards: the
// read's end retried only schedulable pods, and the reason stayed until the class existed.
func TestReasonAfterFirstRead(t *testing.T) {
	story(t, func(w *world) {
		var served atomic.Bool
		w.classic.PrependReactor("list", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
			return !served.Load(), nil, apierrors.NewNotFound(action.GetResource().GroupResource(), "")
		})
		w.startScheduler()
		w.settle()
		if !strings.Contains(w.last["pod"], "not been read yet") {
			t.Errorf("before the read: %s", w.last["pod"])
		}
		served.Store(true)
		w.settleFor(2 * time.Minute)
		if !strings.Contains(w.last["pod"], "resource class none does not exist") {
			t.Errorf("after the read: %s", w.last["pod"])
		}
	}, deviceClass("none"), newClaim("claim", "none", ""), newPod("pod", "claim"))
}

// DRA needs to know which claims to ignore before it looks at them.
func TestPluginsInTheWrongOrder(t *testing.T) {
	story(t, func(w *world) {
		w.startScheduler()
		cycle := &testCycle{data: map[fwk.StateKey]fwk.StateData{scheduler.Name: &attempt{}}}
		if _, status := w.plugin.PreFilter(w.Ctx, cycle, w.pod("pod"), nil); status.Code() != fwk.Error || !strings.Contains(status.Message(), "must come later") {
			t.Errorf("got %v", status)
		}
		if err := scheduler.LeaveOut(&testCycle{data: map[fwk.StateKey]fwk.StateData{}}, sets.New[types.UID]("uid")); err != nil {
			t.Error(err)
		}
	}, newClaim("claim", "one", ""), newPod("pod", "claim"))
}

func TestArguments(t *testing.T) {
	if _, err := NewFactory(Config{}).New(t.Context(), &runtime.Unknown{Raw: []byte(`{}`)}, nil); err == nil || !strings.Contains(err.Error(), "takes no arguments") {
		t.Errorf("got %v", err)
	}
}
