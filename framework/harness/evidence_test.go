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
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2/types"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

func read(t *testing.T, f *T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(f.env.ReportDir, "cases", "area.case", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// The pod of a failed call ran on another node than those of the evidence.
func TestEvidenceIsOfThePodsNodes(t *testing.T) {
	deleted := event("a", "Killing", "container", time.Now())
	deleted.Source = corev1.EventSource{Component: "kubelet", Host: "of-deleted"}
	f := newFake(t, pod(func(p *corev1.Pod) { p.Spec.NodeName = "of-pod" }), pod(func(p *corev1.Pod) { p.Name = "pending" }), deleted)
	f.Nodes = []string{"node"}
	if got := f.nodesOfPods(t.Context()); !slices.Equal(got, f.Nodes) {
		t.Errorf("with a simulated driver: %v", got)
	}
	f.env.Plan.Target.DriverUnderTest = &spec.DriverUnderTest{Driver: "gpu.example.com"}
	if got, want := f.nodesOfPods(t.Context()), []string{"node", "of-deleted", "of-pod"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestGather(t *testing.T) {
	now := time.Now()
	scheduler := pod(func(p *corev1.Pod) {
		p.Name, p.Namespace, p.Labels = "kube-scheduler-x", metav1.NamespaceSystem, map[string]string{"component": "kube-scheduler"}
	})
	f := newFake(t,
		pod(func(p *corev1.Pod) { p.Spec.Containers = []corev1.Container{{Name: "main"}} }),
		claim(func(*resourceapi.ResourceClaim) {}), scheduler,
		event("b", "Second", "later", now), event("a", "First", "earlier", now.Add(-time.Second)))
	a := &agents{evidence: func(string) (map[string][]byte, error) {
		return map[string][]byte{"cdi/x.json": []byte("{}")}, errors.New("kubelet.log: no journal")
	}}
	f.env.Agents, f.Nodes = a, []string{"node"}
	f.AddEvidence(func(_ context.Context, e *Evidence) { e.File("driver/node.json", []byte("Hang")) })
	f.Step("look at %s", "it")

	f.gather(t.Context())

	if f.folder != "cases/area.case" {
		t.Errorf("directory %s", f.folder)
	}
	for name, want := range map[string]string{
		"steps.txt":                   "look at it",
		"objects/pods.yaml":           "kind: PodList",
		"objects/resourceclaims.yaml": "name: claim",
		"pods/pod.main.log":           "fake logs",
		"kube-scheduler-x.log":        "fake logs",
		"driver/node.json":            "Hang",
		"nodes/node/cdi/x.json":       "{}",
		"missing.txt":                 "node node: kubelet.log: no journal",
	} {
		if got := read(t, f, name); !strings.Contains(got, want) {
			t.Errorf("%s lacks %q:\n%s", name, want, got)
		}
	}
	if missing := read(t, f, "missing.txt"); !strings.Contains(missing, "kube-controller-manager: has no visible pod") {
		t.Errorf("missing.txt:\n%s", missing)
	}
	events := read(t, f, "events.txt")
	if first, second := strings.Index(events, "First"), strings.Index(events, "Second"); first < 0 || second < first {
		t.Errorf("events are not in the order of time:\n%s", events)
	}
}

func TestGatherSurvivesPanics(t *testing.T) {
	f := newFake(t)
	f.AddEvidence(func(context.Context, *Evidence) { panic("oops") })

	f.gather(t.Context())

	if got := read(t, f, "missing.txt"); !strings.Contains(got, "oops") {
		t.Errorf("missing.txt:\n%s", got)
	}
}

func TestGatherBeforeThereIsANamespace(t *testing.T) {
	f := newFake(t)
	f.Client, f.Namespace = nil, ""
	f.Step("make a client")

	f.gather(t.Context())

	if got := read(t, f, "steps.txt"); !strings.Contains(got, "make a client") {
		t.Errorf("steps.txt:\n%s", got)
	}
}

func TestGatherWithoutAPlaceForIt(t *testing.T) {
	f := newFake(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.env.ReportDir = file

	f.gather(t.Context())

	o := f.outcome(types.SpecReport{State: types.SpecStateFailed, Failure: types.Failure{Message: "one is not two"}})
	if o.Evidence != "" || !strings.HasPrefix(o.Failure, "one is not two\nno evidence could be written: ") {
		t.Errorf("evidence %q, failure %q", o.Evidence, o.Failure)
	}
}

func TestGatherKeepsWithinItsFolder(t *testing.T) {
	f := newFake(t)
	a := &agents{evidence: func(string) (map[string][]byte, error) {
		return map[string][]byte{"../../../../outside": []byte("x"), "inside": []byte("x")}, nil
	}}
	f.env.Agents, f.Nodes = a, []string{"node"}

	f.gather(t.Context())

	if got := read(t, f, "missing.txt"); !strings.Contains(got, "not a name within the directory") {
		t.Errorf("missing.txt:\n%s", got)
	}
	if got := read(t, f, "nodes/node/inside"); got != "x" {
		t.Errorf("inside: %q", got)
	}
}

// TestEvidenceIsOfTheFailure: evidence from before the restoration of a driver stays.
func TestEvidenceIsOfTheFailure(t *testing.T) {
	f := newFake(t)
	f.env.Agents = &agents{}
	f.GatherEvidence(t.Context())
	steps := filepath.Join(f.env.ReportDir, f.folder, "steps.txt")
	before, err := os.ReadFile(steps)
	if err != nil {
		t.Fatal(err)
	}
	f.Step("run a hook")
	f.GatherEvidence(t.Context())
	if after, err := os.ReadFile(steps); err != nil || string(after) != string(before) {
		t.Errorf("gathered again: %s, %v", after, err)
	}
}
