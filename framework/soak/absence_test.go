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

package soak

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	kubetesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/framework/soak/load"
	"github.com/dra-conformance/dratest/reports/schema"
)

// apiOutage is an API server that becomes unavailable and comes back without its watch cache.
type apiOutage struct {
	w *world

	mutex   sync.Mutex
	away    bool
	watches map[string]watch.Interface // by what is watched
	// expired are the watches that cannot continue.
	expired map[string]bool
}

func newOutage(w *world) *apiOutage {
	o := &apiOutage{w: w, watches: map[string]watch.Interface{}, expired: map[string]bool{}}
	w.client.PrependReactor("*", "*", o.react)
	w.client.PrependWatchReactor("*", o.watch)
	return o
}

func (o *apiOutage) react(action kubetesting.Action) (bool, runtime.Object, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if !o.away || action.GetVerb() == "update" { // the cluster's own
		return false, nil, nil
	}
	return true, nil, io.ErrUnexpectedEOF
}

func (o *apiOutage) watch(action kubetesting.Action) (bool, watch.Interface, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	options, what := action.(kubetesting.WatchActionImpl).ListOptions, action.GetResource().Resource
	switch {
	case !options.AllowWatchBookmarks: // the cluster's own
		return false, nil, nil
	case o.away:
		return true, nil, io.ErrUnexpectedEOF
	case o.expired[what]:
		delete(o.expired, what)
		w := watch.NewFakeWithChanSize(1, false)
		w.Error(&metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired, Message: "too old"})
		return true, w, nil
	}
	w, err := o.w.client.Tracker().Watch(action.GetResource(), action.GetNamespace(), options)
	o.watches[what] = w
	return true, w, err
}

func (o *apiOutage) turn(away bool) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.away = away
	for what, w := range o.watches {
		w.Stop()
		o.expired[what] = true
	}
	clear(o.watches)
}

// blinder is a fault making the API server unavailable for a minute.
type blinder struct{ *apiOutage }

func (blinder) Name() string { return "kill apiserver" }
func (blinder) Blinds()      {}

func (b blinder) Do(context.Context, Target) error {
	b.turn(true)
	time.Sleep(time.Minute)
	b.turn(false)
	return nil
}

// With half a minute of patience, the soak gave up at the first failed request, then because no pod made progress,
// and reported broken watches.
func TestSoakOutlastsTheAPIServer(t *testing.T) {
	for seed := range int64(5) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, Options{Pods: 30, Every: 10 * time.Second, Seed: seed + 1})
			fault := blinder{newOutage(w)}
			w.faults.list = []Fault{fault, fault}
			w.faults.count(fault.Name(), 0, 0)
			w.bed.options.Faults = w.faults.list
			s := w.soak(t.Context(), t)
			if s.Verdict != schema.Passed || s.Faults[0].Done != 2 || s.MissedStates != 2 || s.Seconds < 120 || s.Seconds > 200 {
				t.Errorf("seed %d: got %+v\n%s", seed, s, w.out)
			}
			if left, _ := w.client.CoreV1().Pods("ns").List(t.Context(), metav1.ListOptions{}); len(left.Items) > 0 {
				t.Errorf("seed %d: %d pods are left", seed, len(left.Items))
			}
		})
	}
}

// Each request succeeds but its response is lost: a second create of the pod or claim was rejected, and the object to
// delete was missing.
func TestRequestsThatMayHaveBeenDoneAreTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Options{Pods: 20, Duration: 15 * time.Second, Seed: 1})
		w.bed.kinds = []load.Kind{load.Slots()[0], load.Slots()[3]}
		var mutex sync.Mutex
		asked := map[string]bool{}
		once := func(action kubetesting.Action, name string, do func() error) (bool, runtime.Object, error) {
			mutex.Lock()
			defer mutex.Unlock()
			key := action.GetVerb() + action.GetResource().Resource + name
			if asked[key] {
				return false, nil, nil
			}
			asked[key] = true
			if err := do(); err != nil {
				t.Error(err)
			}
			return true, nil, io.ErrUnexpectedEOF
		}
		w.client.PrependReactor("create", "*", func(action kubetesting.Action) (bool, runtime.Object, error) {
			object := action.(kubetesting.CreateAction).GetObject().DeepCopyObject()
			made := object.(metav1.Object)
			made.SetUID(types.UID("uid of " + made.GetName()))
			return once(action, made.GetName(), func() error {
				return w.client.Tracker().Create(action.GetResource(), object, action.GetNamespace())
			})
		})
		w.client.PrependReactor("delete", "*", func(action kubetesting.Action) (bool, runtime.Object, error) {
			name := action.(kubetesting.DeleteAction).GetName()
			return once(action, name, func() error {
				return w.client.Tracker().Delete(action.GetResource(), action.GetNamespace(), name)
			})
		})
		ctx, end := context.WithCancel(t.Context())
		defer end()
		stop, err := w.observe(ctx)
		if err != nil {
			t.Fatal(err)
		}
		go w.cluster(ctx, t)
		synctest.Wait()
		err = w.load(ctx)
		stop()
		end()
		synctest.Wait()
		claims, _ := w.client.ResourceV1().ResourceClaims("ns").List(t.Context(), metav1.ListOptions{})
		if err != nil || len(claims.Items) > 0 || len(asked) < 40 {
			t.Errorf("got %v after %d requests, %d claims are left\n%s", err, len(asked), len(claims.Items), w.out)
		}
	})
}

// Nobody took this one away.
func TestOutageOfItsOwnIsToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Options{Pods: 30, Every: 10 * time.Second, Seed: 1})
		fault := blinder{newOutage(w)}
		w.faults.list = []Fault{step(fault.Do)}
		w.bed.options.Faults = w.faults.list
		w.faults.count("step", 0, 0)
		s := w.soak(t.Context(), t)
		if s.Verdict != schema.Incomplete || s.MissedStates != 0 || !strings.Contains(strings.Join(s.Problems, " "), io.ErrUnexpectedEOF.Error()) {
			t.Errorf("got %+v\n%s", s, w.out)
		}
	})
}

// A pod recorded before the API server had it was mistaken for a deleted one.
func TestPodThatIsNotThereYetIsNotGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTracker()
		tr.add("p", "")
		time.Sleep(time.Second)
		tr.see(nil, time.Now())
		if tr.lives["p"].gone {
			t.Error("it is gone before it is there")
		}
		tr.created("p")
		time.Sleep(time.Second)
		tr.see(nil, time.Now())
		if !tr.lives["p"].gone {
			t.Error("it is not gone")
		}
	})
}

// A pod that ended unobserved may have run with the previous claim.
func TestUseThatWasNotSeenIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := onNode(t, &node{})
		ended := w.uses.pods["p"].DeepCopy()
		ended.UID, ended.Status.Phase = "q", "Succeeded"
		w.uses.seePods(map[types.UID]*corev1.Pod{"q": ended}, time.Now())
		if used := w.uses.list(); len(used) != 1 || used[0].Pod.UID != "p" {
			t.Errorf("got %+v", used)
		}
	})
}

func podAt(name, version string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), ResourceVersion: version}}
}

// A pod created and deleted between a watch and the next list is gone as well.
func TestTrackerMissesNoEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTracker()
		tr.add("early", "")
		tr.created("early")
		time.Sleep(time.Second)
		asked := time.Now()
		time.Sleep(time.Second)
		tr.add("late", "")
		tr.created("late")
		tr.see(nil, asked)
		if !tr.lives["early"].gone || tr.lives["late"].gone {
			t.Errorf("early %+v, late %+v", tr.lives["early"], tr.lives["late"])
		}
		late := podAt("late", "1")
		late.Status.Phase = corev1.PodRunning
		tr.see(map[types.UID]*corev1.Pod{"late": late}, time.Time{})
		time.Sleep(time.Second)
		if quiet := time.Since(tr.lastChange()); quiet != time.Second {
			t.Errorf("quiet for %s", quiet)
		}
		tr.see(nil, time.Time{})
		if l := tr.lives["late"]; !l.gone || l.started.IsZero() || !l.ended.IsZero() {
			t.Errorf("late %+v", l)
		}
	})
}
