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

package change

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/upgrade/path"
)

func kubeletStep(from, to path.Version) path.Step {
	return path.Step{Place: path.Place{Component: path.Kubelet, Node: "w"}, From: path.Software{Version: from}, To: path.Software{Version: to}}
}

func TestKubeletInPlace(t *testing.T) {
	w, c := newWorld(t)
	step := kubeletStep(v36, v37)
	for range 2 { // steps are idempotent
		if _, err := c.Do(t.Context(), step); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{kubelets + "v1.37.1 " + unknownFlags(v37)}; !slices.Equal(w.restarts, want) {
		t.Errorf("restarts %q, want %q", w.restarts, want)
	}
}

// A kubelet of another minor version restarts the static pods of its node after it has become ready: the API server
// went away after the step.
func TestStaticPodsThatTheKubeletRestarts(t *testing.T) {
	w, c := newWorld(t)
	w.static = []string{"old", "old", "", "new"}
	if _, err := c.Do(t.Context(), kubeletStep(v36, v37)); err != nil || len(w.static) != 1 {
		t.Errorf("%v, with %q still to be shown", err, w.static)
	}
	w.static, c.Timeout = []string{"old"}, 300*time.Millisecond
	if _, err := c.Do(t.Context(), kubeletStep(v37, v36)); err == nil || !strings.Contains(err.Error(), "static pod cp is not ready, or the one from before") {
		t.Errorf("got %v", err)
	}
}

// After the step, pods could not be scheduled on the node yet.
func TestTaintThatOutlastsTheKubeletsRestart(t *testing.T) {
	w, c := newWorld(t)
	w.tainted = 3
	if _, err := c.Do(t.Context(), kubeletStep(v36, v37)); err != nil || w.tainted >= 0 {
		t.Errorf("%v, with the taint still to be shown %d times", err, w.tainted)
	}
}

// After the step, drivers in pods could not reach the new API server.
func TestServiceThatNodesDoNotReachYet(t *testing.T) {
	w, c := newWorld(t)
	w.refusals = 3
	if _, err := c.Do(t.Context(), kubeletStep(v36, v37)); err != nil || w.refusals > 0 {
		t.Errorf("%v, with %d refusals still to come", err, w.refusals)
	}
	w.refusals, c.Timeout = 1000, 300*time.Millisecond
	if _, err := c.Do(t.Context(), kubeletStep(v37, v36)); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("got %v", err)
	}
}

// Static pods and pods of DaemonSets stay. The node is cordoned while its kubelet is replaced, and stays cordoned if
// the kubelet does not come back.
func TestKubeletAfterDrain(t *testing.T) {
	w, c := newWorld(t)
	step := kubeletStep(v36, v37)
	step.Drain = true
	if _, err := c.Do(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	if want := []string{"closed", "evicted pod", "kubelet v1.37.1", "open"}; !slices.Equal(w.did, want) {
		t.Errorf("did %q, want %q", w.did, want)
	}
	w.broken, c.Timeout, w.did = true, 300*time.Millisecond, nil
	step = kubeletStep(v37, v36)
	step.Drain = true
	if _, err := c.Do(t.Context(), step); err == nil || slices.Contains(w.did, "open") {
		t.Errorf("did %q: %v", w.did, err)
	}
}

func TestDownIsBetweenTwoKubelets(t *testing.T) {
	w, c := newWorld(t)
	var seen []string
	c.Down = func(context.Context, path.Step) error { seen = slices.Clone(w.restarts); return nil }
	if _, err := c.Do(t.Context(), kubeletStep(v36, v37)); err != nil || !slices.Equal(seen, []string{"stop"}) || len(w.restarts) != 2 {
		t.Errorf("%q before, %q in the end: %v", seen, w.restarts, err)
	}
}

// A node without kubelet would be left behind, and nothing later could repair it.
func TestStoppedKubeletIsStartedWhateverHappens(t *testing.T) {
	w, c := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	c.Down = func(context.Context, path.Step) error { cancel(); return errors.New("enough") }
	if _, err := c.Do(ctx, kubeletStep(v36, v37)); err == nil || !slices.Equal(w.restarts, []string{"stop", "start"}) {
		t.Errorf("%q: %v", w.restarts, err)
	}
}

func TestKubeletGate(t *testing.T) {
	w, c := newWorld(t)
	step := kubeletStep(v36, v36)
	step.Gate, step.On = "B", true
	for range 2 {
		if _, err := c.Do(t.Context(), step); err != nil {
			t.Fatal(err)
		}
	}
	if config := w.files[kubeletConfig]; !strings.Contains(config, "A: true") || !strings.Contains(config, "B: true") || len(w.restarts) != 1 {
		t.Errorf("restarts %q with %s", w.restarts, config)
	}
}

func TestKubeletThatDoesNotComeBack(t *testing.T) {
	w, c := newWorld(t)
	w.broken, c.Timeout = true, 300*time.Millisecond
	_, err := c.Do(t.Context(), kubeletStep(v36, v37))
	if !errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("got %v", err)
	}
	for _, message := range []string{"kubelet on w: v1.36.4 to v1.37.1", "the node's kubelet is v1.36.4", "checkpoint is corrupted"} {
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%v does not say %q", err, message)
		}
	}
}

func TestInterruptedStep(t *testing.T) {
	w, c := newWorld(t)
	w.broken = true
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if _, err := c.Do(ctx, kubeletStep(v36, v37)); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("got %v", err)
	}
}

// Kubeadm v1.34 wrote a flag removed in kubelet v1.35.
func TestFlagsThatKubeletsDoNotKnow(t *testing.T) {
	if unknownFlags(path.Version{Minor: 34, Patch: 4}) != "" || unknownFlags(path.Version{Minor: 35}) == "" {
		t.Error("--pod-infra-container-image is known up to v1.34")
	}
}

func TestProxy(t *testing.T) {
	w, c := newWorld(t)
	step := path.Step{Place: path.Place{Component: path.Proxy}, From: path.Software{Version: v36}, To: path.Software{Version: v37}}
	if _, err := c.Do(t.Context(), step); err != nil || w.proxy != "v1.37.1" {
		t.Errorf("%s, %v", w.proxy, err)
	}
	w.set.Status.UpdatedNumberScheduled, c.Timeout = 0, 300*time.Millisecond
	if _, err := c.Do(t.Context(), step); err == nil || !strings.Contains(err.Error(), "0 of 1 pods are new") {
		t.Errorf("got %v", err)
	}
}

func TestProvide(t *testing.T) {
	w, c := newWorld(t)
	p, err := path.Find(path.Request{From: v36, To: v37, Known: []path.Version{v36, v37}, ControlPlanes: []string{"w"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Provide(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"image kube-apiserver:v1.37.1", "image kube-proxy:v1.36.4", kubelets + "v1.37.1", kubelets + "v1.36.4"} {
		if _, ok := w.files[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestOwnComponents(t *testing.T) {
	_, c := newWorld(t)
	s := &switcher{}
	c.Name, c.Switcher = "x", s
	stock, own := path.Software{Version: v37}, path.Software{Version: v37, Own: true}
	for _, step := range []path.Step{
		{Place: path.Place{Component: path.Scheduler, Node: "w"}, From: stock, To: own},
		{Place: path.Place{Component: path.ControllerManager, Node: "w"}, From: stock, To: own},
		{Place: path.Place{Component: path.Kubelet, Node: "w"}, From: stock, To: own},
		{Place: path.Place{Component: path.Kubelet, Node: "w"}, From: own, To: stock},
	} {
		if done, err := c.Do(t.Context(), step); err != nil || done.Downtime != time.Second {
			t.Errorf("%s: %v, %v", step, done, err)
		}
	}
	if want := []string{"x scheduler=own", "x controllers=own", "x kubelet=own:w", "x stock"}; !slices.Equal(s.asked, want) {
		t.Errorf("asked for %q, want %q", s.asked, want)
	}
}

func TestUnknownNode(t *testing.T) {
	_, c := newWorld(t)
	step := kubeletStep(v36, v37)
	step.Place.Node = "x"
	if _, err := c.Do(t.Context(), step); !errors.Is(err, clusters.ErrEnvironment) || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("got %v", err)
	}
}
