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
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	kubetesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/soak/load"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
)

// world is a soak on a cluster simulated by a goroutine: it binds pods at once, and ends them.
type world struct {
	*soaking

	client *fake.Clientset
	out    *bytes.Buffer
	// ignored pods stay pending, failing ones fail instead of succeeding.
	ignored, failing string
}

func newWorld(t *testing.T, o Options) *world {
	w := &world{client: fake.NewClientset(), out: &bytes.Buffer{}}
	w.client.PrependReactor("create", "*", func(a kubetesting.Action) (bool, runtime.Object, error) {
		o := a.(kubetesting.CreateAction).GetObject().(metav1.Object)
		o.SetUID(types.UID("uid of " + o.GetName()))
		return false, nil, nil
	})
	w.client.PrependReactor("delete-collection", "pods", func(a kubetesting.Action) (bool, runtime.Object, error) {
		for name := range w.tracker.lives {
			_ = w.client.Tracker().Delete(a.GetResource(), "ns", name) // most are gone
		}
		return true, nil, nil
	})
	o.ReportDir, o.Out, o.AtOnce, o.Patience = t.TempDir(), w.out, 4, 30*time.Second
	w.soaking = &soaking{started: time.Now(), bed: &Bed{
		Testbed: &testbed.Testbed{Progress: progress.New(w.out), Client: w.client}, options: o, retry: &retrier{patience: o.Patience}, Namespace: "ns",
		kinds: load.Slots()[:1], Names: load.Names{Driver: "driver", Image: "busybox"},
	}}
	w.start()
	return w
}

// soak runs the soak as run does, with a cluster already running.
func (w *world) soak(ctx context.Context, t *testing.T) Summary {
	t.Helper()
	cluster, end := context.WithCancel(t.Context())
	defer end()
	stop, err := w.observe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	go w.cluster(cluster, t)
	synctest.Wait() // all watches are there

	if err = w.load(ctx); err == nil || errors.Is(err, errStalled) {
		err = w.judge(ctx)
	}
	stop()
	end()
	synctest.Wait()
	return w.summary(ctx, err)
}

func (w *world) cluster(ctx context.Context, t *testing.T) {
	api := w.client.CoreV1().Pods("ns")
	watch, err := api.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	defer watch.Stop()
	advance := func(pod *corev1.Pod, phase corev1.PodPhase) {
		pod = pod.DeepCopy()
		pod.Spec.NodeName, pod.Status.Phase = "n", phase
		// The template needs no claim, which is allowed.
		pod.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "claim"}}
		_, _ = api.Update(ctx, pod, metav1.UpdateOptions{}) // it may be gone
	}
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-watch.ResultChan():
			pod, ok := e.Object.(*corev1.Pod)
			switch {
			case !ok || e.Type == "DELETED" || pod.Name == w.ignored || pod.Name == "spoiled":
			case pod.Spec.NodeName == "":
				advance(pod, corev1.PodRunning)
			case pod.Status.Phase == corev1.PodRunning:
				end := corev1.PodSucceeded
				if pod.Name == w.failing {
					end = corev1.PodFailed
				}
				time.AfterFunc(time.Second, func() { advance(pod, end) })
			}
		}
	}
}

// firstToEnd is the first pod of seed 1 that ends by itself and is then deleted.
func (w *world) firstToEnd() string {
	for g := load.New(1, w.bed.kinds); ; {
		if p := g.Next().Pods[0]; p.Cut == 0 && !p.Stays {
			return p.Name
		}
	}
}

func TestSoakPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Options{Pods: 10, Duration: 15 * time.Second, Seed: 1})
		s := w.soak(t.Context(), t)
		if s.Verdict != schema.Passed || s.Pods < 20 || s.Seconds < 15 || s.Seconds > 25 || s.Reads < 5 {
			t.Errorf("got %+v\n%s", s, w.out)
		}
		if k := s.Kinds[0]; k.Kind != load.OneDevice || k.Pods != s.Pods || k.Started < 10 || k.Start99 > 1 {
			t.Errorf("got %+v", k)
		}
		if left, _ := w.client.CoreV1().Pods("ns").List(t.Context(), metav1.ListOptions{}); len(left.Items) > 0 {
			t.Errorf("%d pods are left", len(left.Items))
		}
		if !strings.Contains(w.out.String(), "pods made") {
			t.Errorf("nothing was said:\n%s", w.out)
		}
	})
}

func TestStuckPodIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Options{Pods: 10, Seed: 1})
		w.ignored = w.firstToEnd()
		s := w.soak(t.Context(), t)
		if s.Verdict != schema.Failed || len(s.Findings) != 1 || s.Findings[0].Rule != audit.PodStuck || !strings.Contains(s.Findings[0].Text, w.ignored) {
			t.Fatalf("got %+v\n%s", s, w.out)
		}
		data, err := os.ReadFile(filepath.Join(w.bed.options.ReportDir, s.Findings[0].Evidence))
		if err != nil || !bytes.Contains(data, []byte("kind: Pod")) || !bytes.Contains(data, []byte("name: "+w.ignored)) {
			t.Errorf("evidence: %v\n%s", err, data)
		}
	})
}

// A failed pod deleted at once is gone when the soak is judged.
func TestFailedPodIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Options{Pods: 10, Seed: 1})
		w.failing = w.firstToEnd()
		s := w.soak(t.Context(), t)
		if s.Verdict != schema.Failed || len(s.Findings) != 1 || s.Findings[0].Rule != audit.PodFailed || !strings.Contains(s.Findings[0].Text, w.failing) {
			t.Fatalf("got %+v\n%s", s, w.out)
		}
		if s.Kinds[0].Failed != 1 {
			t.Errorf("counted as %+v", s.Kinds[0])
		}
	})
}

// step is a fault calling a function.
type step func(context.Context, Target) error

func (step) Name() string                             { return "step" }
func (s step) Do(ctx context.Context, t Target) error { return s(ctx, t) }

func TestFaultsHappenUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, at := time.Now(), []time.Duration{}
		good := step(func(context.Context, Target) error { at = append(at, time.Since(began)); return nil })
		bad := step(func(context.Context, Target) error { return errors.New("no such thing") })
		w := newWorld(t, Options{Pods: 4, Every: 3 * time.Second, Seed: 1, Faults: []Fault{good, good, bad, good}})
		s := w.soak(t.Context(), t)
		if len(at) != 3 || at[0] == 0 || at[2] < at[1] || !reflect.DeepEqual(s.Faults[0], FaultCount{Name: "step", Done: 3, Failed: 1}) {
			t.Errorf("faults at %v, counted as %+v", at, s.Faults)
		}
		if s.Verdict != schema.Incomplete || s.Seconds < at[2].Seconds() || s.Pods < 5 {
			t.Errorf("a fault failed, and the verdict is %s after %d pods in %.0fs", s.Verdict, s.Pods, s.Seconds)
		}
	})
}

func TestNodesAreMendedUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Options{Pods: 4, Duration: 40 * time.Second, Seed: 1})
		asked := 0
		w.bed.parts.Repair = func(context.Context, Target) ([]audit.Violation, error) {
			asked++
			return []audit.Violation{{Rule: audit.Frozen, Subject: "w1 a", Text: "was frozen"}}, nil
		}
		s := w.soak(t.Context(), t)
		if s.Verdict != schema.Passed || asked < 3 || len(s.Findings) != 1 || s.Findings[0].Rule != audit.Frozen {
			t.Errorf("asked %d times, got %+v", asked, s)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Options{Pods: 4, Seed: 1})
		w.bed.parts.Repair = func(context.Context, Target) ([]audit.Violation, error) { return nil, errors.New("node w1 is away") }
		if s := w.soak(t.Context(), t); s.Verdict != schema.Incomplete || !strings.Contains(strings.Join(s.Problems, " "), "w1 is away") {
			t.Errorf("got %+v", s)
		}
	})
}

// killer is a fault reporting the point of death.
type killer struct{ step }

func (killer) Died() map[string]int { return map[string]int{"here": 2, "there": 1} }

func TestWhereKillsWereIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := killer{func(context.Context, Target) error { return nil }}
		w := newWorld(t, Options{Pods: 1, Every: time.Second, Seed: 1, Faults: []Fault{k, k, k}})
		s := w.soak(t.Context(), t)
		if s.Verdict != schema.Passed || s.Faults[0].Done != 3 || s.Faults[0].Died["here"] != 2 {
			t.Errorf("got %+v", s)
		}
		s.Print(w.out, "")
		if !strings.Contains(w.out.String(), "fault step: 3 times, could not be done 0 times\n   died here: 2\n   died there: 1\n") {
			t.Errorf("said\n%s", w.out)
		}
	})
}

func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		w := newWorld(t, Options{Pods: 4, Duration: time.Hour, Seed: 1})
		if s := w.soak(ctx, t); s.Verdict != schema.Incomplete || !strings.Contains(strings.Join(s.Problems, " "), "interrupted") {
			t.Errorf("got %+v", s)
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	err := Options{AtOnce: 1, Duration: -1, Faults: []Fault{step(nil)}, Config: testbed.Config{Context: "c"}}.Validate()
	for _, want := range []string{"pods:", "at once:", "duration:", "every:", "patience:", "context:"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in: %v", want, err)
		}
	}
	if err := (Options{Pods: 1, AtOnce: 2, Patience: 1}).Validate(); err != nil {
		t.Error(err)
	}
}
