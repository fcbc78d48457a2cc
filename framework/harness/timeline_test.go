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
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	kubetesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/timeline"
)

func readTimeline(t *testing.T, f *T) spec.Timeline {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(f.env.ReportDir, f.timeline))
	if err != nil {
		t.Fatal(err)
	}
	var line spec.Timeline
	if err := json.Unmarshal(content, &line); err != nil {
		t.Fatal(err)
	}
	return line
}

// recording is a case with a timeline and a driver on a node.
func recording(t *testing.T) *T {
	f := newFake(t)
	f.AddTimeline(func(context.Context) ([]spec.TimelineEntry, []string) {
		return timeline.Calls([]spec.Call{{Method: spec.Prepare, Start: time.Now(), Took: time.Second, Error: "Internal"}}, "node"), nil
	})
	f.env.Agents, f.env.Timelines, f.Nodes = &agents{}, spec.TimelinesAll, []string{"node"}
	return f
}

// awaitEntries waits for a number of entries.
func awaitEntries(t *testing.T, r *recorder, n int) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; {
		got, _ := r.Recorded()
		if len(got) >= n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d entries, want %d", len(got), n)
		}
		<-time.After(10 * time.Millisecond)
	}
}

func TestRecorder(t *testing.T) {
	f := recording(t)
	f.Step("make it")
	r := startRecorder(f)
	p := pod(func(p *corev1.Pod) { p.UID, p.Status.Phase = "1", corev1.PodPending })
	c := claim(func(c *resourceapi.ResourceClaim) { c.UID = "2" })
	for _, o := range []runtime.Object{p, c, event("e", "Why", "because", time.Now())} {
		if err := f.Client.(*fake.Clientset).Tracker().Add(o); err != nil {
			t.Fatal(err)
		}
	}
	awaitEntries(t, r, 3)
	p = p.DeepCopy()
	p.Status.Phase, p.Spec.NodeName = corev1.PodRunning, "node"
	if _, err := f.Client.CoreV1().Pods(namespace).Update(t.Context(), p, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitEntries(t, r, 4)
	if err := f.Client.CoreV1().Pods(namespace).Delete(t.Context(), p.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitEntries(t, r, 5)
	r.collect(t.Context())
	r.readKubelets(t.Context())
	r.end()

	line := readTimeline(t, f)
	var got []string
	for _, e := range line.Entries {
		got = append(got, fmt.Sprintf("%s %s: %s [%s%s]", e.Source, e.Object, e.Text, e.State, e.Severity))
	}
	for _, want := range []string{
		"step : make it []",
		"pod pod: created: phase Pending [Pending]",
		"pod pod: phase Pending → Running; on node node [Running]",
		"pod pod: gone [Deleted]",
		"claim claim: created: state Pending [Pending]",
		"event pod/pod: Warning Why: because [warning]",
		"driver node: NodePrepareResources (); failed: Internal [error]",
		"kubelet node: about " + namespace + " (a.go:1) []",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("missing %q in:\n%s", want, strings.Join(got, "\n"))
		}
	}
	if want := []string{"kube-scheduler: has no visible pod"}; !slices.Equal(line.Missing, want) {
		t.Errorf("missing: %q, want %q", line.Missing, want)
	}
}

// TestRecorderThatSeesNothing has a cluster that refuses all requests of the recorder: the case
// continues, and the timeline lists missing sources.
func TestRecorderThatSeesNothing(t *testing.T) {
	f := recording(t)
	refuse := func(kubetesting.Action) (bool, runtime.Object, error) { return true, nil, errAway }
	f.Client.(*fake.Clientset).PrependReactor("list", "pods", refuse)
	f.Client.(*fake.Clientset).PrependWatchReactor("*", kubetesting.DefaultWatchReactor(nil, errAway))
	f.Hooks.timeline = nil
	f.AddTimeline(func(context.Context) ([]spec.TimelineEntry, []string) {
		return nil, []string{"driver calls on node: no agent"}
	})
	f.Step("go on")
	r := startRecorder(f)
	r.collect(t.Context())
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-time.After(10 * time.Millisecond) {
		if _, missing := r.Recorded(); len(missing) == 5 {
			break
		}
	}
	r.end()

	line := readTimeline(t, f)
	slices.Sort(line.Missing)
	want := []string{
		"claims: " + errAway.Error(), "driver calls on node: no agent", "events: " + errAway.Error(),
		"kube-scheduler: " + errAway.Error(), "pods: " + errAway.Error(),
	}
	if !slices.Equal(line.Missing, want) {
		t.Errorf("missing: %q, want %q", line.Missing, want)
	}
	if len(line.Entries) != 1 || line.Entries[0].Text != "go on" {
		t.Errorf("entries: %v", line.Entries)
	}
}

func TestTimelinesOfFailedCases(t *testing.T) {
	f := recording(t)
	f.env.Timelines = spec.TimelinesFailed
	startRecorder(f).end()
	if f.timeline != "" {
		t.Errorf("a case that did not fail has the timeline %s", f.timeline)
	}
	f.known = "it does not"
	startRecorder(f).end()
	if f.timeline == "" {
		t.Error("a case with a known issue has no timeline")
	}
	f.env.Timelines = spec.TimelinesNone
	if startRecorder(f) != nil {
		t.Error("a case is recorded although no timelines are kept")
	}
}
