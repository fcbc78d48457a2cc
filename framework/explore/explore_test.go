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

package explore

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/generate"
	"github.com/dra-conformance/dratest/framework/problem/oracle"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Problems on one cluster must be isolated from each other.
func TestScope(t *testing.T) {
	for number := range uint64(300) {
		p, err := scope(generate.Stored(1, number, nil), "x7x", "ns")
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range p.Nodes {
			if !strings.HasPrefix(n.Name, "x7x-") || n.Labels[label] != "x7x" {
				t.Fatalf("problem %d: node %s with labels %v", number, n.Name, n.Labels)
			}
		}
		for _, s := range p.Slices {
			if !strings.HasSuffix(s.Spec.Driver, ".x7x.example.com") || s.Spec.AllNodes != nil {
				t.Fatalf("problem %d: slice %s of driver %s for all nodes %v", number, s.Name, s.Spec.Driver, s.Spec.AllNodes)
			}
		}
		for _, c := range p.Classes {
			if !strings.Contains(c.Spec.Selectors[0].CEL.Expression, ".x7x.example.com") {
				t.Fatalf("problem %d: class %s selects devices of other problems", number, c.Name)
			}
		}
		for _, r := range p.Rules {
			if by := r.Spec.DeviceSelector; by != nil && !strings.HasSuffix(*by.Driver, ".x7x.example.com") {
				t.Fatalf("problem %d: rule %s taints devices of other problems", number, r.Name)
			}
		}
		names := map[string]bool{}
		for _, c := range append(p.Claims, p.Allocated...) {
			names[c.Name] = c.Namespace == "ns"
		}
		for _, pod := range p.Pods {
			for _, claim := range pod.Claims {
				if !names[claim] {
					t.Fatalf("problem %d: pod %s uses claim %s, which does not exist in its namespace", number, pod.Name, claim)
				}
			}
			for name := range pod.Extended() {
				if !strings.Contains(name, "x7x") {
					t.Fatalf("problem %d: pod %s requests %s, which other problems may have", number, pod.Name, name)
				}
			}
			if !retried(p, pod) {
				t.Fatalf("problem %d: the scheduler may not retry pod %s on nodes %v", number, pod.Name, p.Nodes)
			}
		}
	}
}

// A finding's file restores its problem.
func TestReplay(t *testing.T) {
	for number := range uint64(100) {
		p, err := scope(generate.Stored(1, number, nil), "x7x", "ns")
		if err != nil {
			t.Fatal(err)
		}
		p.Off = nil
		dir := t.TempDir()
		name, err := writeFinding(dir, "finding.yaml", Finding{Number: number}, &trial{id: "x7x", namespace: namespaceObject("ns"), problem: p})
		if err != nil {
			t.Fatal(err)
		}
		got, id, err := read(filepath.Join(dir, name))
		if err != nil || id != "x7x" {
			t.Fatalf("problem %d: ID %q, %v", number, id, err)
		}
		want, err := renamed(p, "x7x")("x8x", "other")
		if err != nil {
			t.Fatal(err)
		}
		again, err := renamed(got, id)("x8x", "other")
		if err != nil {
			t.Fatal(err)
		}
		if !equality.Semantic.DeepEqual(want, again) {
			t.Fatalf("problem %d:\n%s", number, cmp.Diff(want, again))
		}
	}
}

// Shrinking removed the class of an alternative: the finding's pod waited for another reason than before.
func TestShrinkKeepsClasses(t *testing.T) {
	p, err := scope(generate.Stored(55, 513, nil), "x7x", "ns")
	if err != nil {
		t.Fatal(err)
	}
	if !alone(p, "x7x") {
		t.Error("the problem itself is not accepted")
	}
	for i := range p.Classes {
		smaller := p.Copy()
		smaller.Classes = slices.Delete(smaller.Classes, i, i+1)
		if alone(smaller, "x7x") {
			t.Errorf("accepted without class %s", p.Classes[i].Name)
		}
	}
}

func TestAttempts(t *testing.T) {
	pod := func(node, message string, generation int64) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "pod"}, Spec: corev1.PodSpec{NodeName: node},
			Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: message, ObservedGeneration: generation}}},
		}
	}
	since := attempts{mark: "again", generations: map[string]int64{"pod": 3}}
	for _, tc := range []struct {
		name string
		pod  *corev1.Pod
		want bool
	}{
		{"bound", pod("node", "again", 0), true},
		{"never tried", &corev1.Pod{}, false},
		{"not tried again", pod("", "again", 3), false},
		{"tried before the pod changed", pod("", "no devices", 2), false},
		{"tried again", pod("", "no devices", 3), true},
		{"tried again by an older scheduler", pod("", "no devices", 0), true},
	} {
		if got := since.has(tc.pod); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

func TestCommonViolations(t *testing.T) {
	a, b := oracle.Violation{Promise: "a", What: "once"}, oracle.Violation{Promise: "b"}
	again := oracle.Violation{Promise: "a", What: "again"}
	if got := common([]oracle.Violation{a, b}, []oracle.Violation{again}); len(got) != 1 || got[0] != again {
		t.Errorf("%v", got)
	}
	if got := common([]oracle.Violation{b}, []oracle.Violation{again}); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestSummary(t *testing.T) {
	dir := t.TempDir()
	s := Summary{Seed: 5, Next: 12, Problems: 10, Refused: 2}
	s.judge()
	if err := s.write(filepath.Join(dir, SummaryFile)); err != nil {
		t.Fatal(err)
	}
	if got, err := load(dir, Options{Seed: 5}); err != nil || got.Next != 12 || got.Verdict != "Passed" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := load(dir, Options{Seed: 6}); err == nil {
		t.Error("an exploration of another seed was resumed")
	}
	if _, err := load(dir, Options{Seed: 5, Features: []string{"taints"}}); err == nil {
		t.Error("an exploration of all features was resumed with one")
	}
}

// A resumed exploration forgot the problems without an outcome, and passed. It repeated finished problems, and
// reported the coverage of its last part only.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	before := &exploring{
		coverage: problem.NewCoverage(), next: 9, running: map[uint64]bool{8: true}, left: []uint64{4},
		summary: Summary{Seed: 5, Problems: 6, Troubles: []string{"problem 2: slow"}, Left: []uint64{2}},
	}
	if err := before.sofar(time.Now()).write(filepath.Join(dir, SummaryFile)); err != nil {
		t.Fatal(err)
	}
	o := Options{Config: testbed.Config{ReportDir: dir}, Seed: 5, Resume: true}
	resumed := &exploring{options: o, coverage: problem.NewCoverage()}
	if err := resumed.Clean(); err != nil {
		t.Fatal(err)
	}
	resumed.cover()
	got := resumed.sofar(time.Now())
	if want := []uint64{2, 4, 8}; !slices.Equal(got.Left, want) || len(got.Troubles) > 0 {
		t.Errorf("left %v, want %v; troubles %q", got.Left, want, got.Troubles)
	}
	if !strings.HasPrefix(got.Coverage, "25 features") {
		t.Errorf("coverage of six problems: %s", got.Coverage)
	}
	for _, want := range []uint64{2, 4, 8, 9} {
		if number, _, ok := resumed.take(t.Context()); !ok || number != want {
			t.Errorf("problem %d is next, want %d", number, want)
		}
	}
}

func TestKnownIssues(t *testing.T) {
	patterns := 0
	for _, known := range knownIssues() {
		if err := known.Validate(); err != nil || (known.without == nil) == (known.says == nil) {
			t.Errorf("%s: %v", known.Issue, err)
		}
		for number := range uint64(300) {
			p := generate.Stored(1, number, nil)
			pods := len(p.Pods)
			if known.without != nil && known.without(p) {
				patterns++
			}
			if len(p.Pods) != pods {
				t.Fatalf("problem %d has fewer pods without the pattern of %s", number, known.Issue)
			}
		}
	}
	if patterns == 0 {
		t.Error("no problem has a pattern")
	}
}

// kube-scheduler detects duplicate device names among the slices of a node. The known issue also excused a scheduler that
// did not.
func TestUniqueElsewhere(t *testing.T) {
	zone := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: "zone", Operator: corev1.NodeSelectorOpExists},
	}}}}
	on := func(node string) resourceapi.ResourceSliceSpec { return resourceapi.ResourceSliceSpec{NodeName: &node} }
	inZone, everywhere := resourceapi.ResourceSliceSpec{NodeSelector: zone}, resourceapi.ResourceSliceSpec{AllNodes: ptr.To(true)}
	device := func(node string, name string) resourceapi.Device {
		return resourceapi.Device{Name: name, NodeName: &node}
	}
	perDevice := resourceapi.ResourceSliceSpec{
		PerDeviceNodeSelection: ptr.To(true), Devices: []resourceapi.Device{device("n1", "dev"), device("n2", "other")},
	}
	for _, tc := range []struct {
		name   string
		slices []resourceapi.ResourceSliceSpec
		want   []string
	}{
		{"different nodes", []resourceapi.ResourceSliceSpec{on("n1"), on("n2")}, []string{"dev", "dev-2"}},
		{"the same node", []resourceapi.ResourceSliceSpec{on("n1"), on("n1")}, []string{"dev", "dev"}},
		{"one of two for all nodes", []resourceapi.ResourceSliceSpec{on("n1"), everywhere}, []string{"dev", "dev"}},
		{"together with a third one", []resourceapi.ResourceSliceSpec{on("n1"), on("n2"), everywhere}, []string{"dev", "dev", "dev"}},
		{"twice for one node", []resourceapi.ResourceSliceSpec{on("n1"), on("n2"), on("n1")}, []string{"dev-2", "dev", "dev-2"}},
		{"selected by a label", []resourceapi.ResourceSliceSpec{on("n1"), inZone}, []string{"dev", "dev-2"}},
		{"one of a slice's devices", []resourceapi.ResourceSliceSpec{perDevice, on("n2")}, []string{"dev", "other", "dev"}},
	} {
		p := &problem.Problem{Nodes: []problem.Node{{Name: "n1"}, {Name: "n2", Labels: map[string]string{"zone": "east"}}}}
		for _, spec := range tc.slices {
			if spec.Devices == nil {
				spec.Devices = []resourceapi.Device{{Name: "dev"}}
			}
			p.Slices = append(p.Slices, *(&resourceapi.ResourceSlice{Spec: spec}).DeepCopy())
		}
		found := uniqueElsewhere(p)
		var got []string
		for i := range p.Slices {
			for d := range p.Slices[i].Spec.Devices {
				got = append(got, p.Slices[i].Spec.Devices[d].Name)
			}
		}
		if !slices.Equal(got, tc.want) || found != slices.ContainsFunc(tc.want, func(name string) bool { return strings.HasPrefix(name, "dev-") }) {
			t.Errorf("%s: got %v, %v, want %v", tc.name, got, found, tc.want)
		}
	}
}

// A pod waiting for another reason was excused because some claim was for all devices, or because it had only
// claims with admin access.
func TestExcusedByMessage(t *testing.T) {
	waits := func(pod string) oracle.Violation { return oracle.Violation{Promise: "waits", Object: "pod ns/" + pod} }
	f := Finding{Violations: []oracle.Violation{waits("all"), waits("other")}}
	e := &exploring{bed: &testbed.Testbed{Target: stock()}}
	names := e.said(&f, &trial{namespace: namespaceObject("ns"), reasons: map[string]string{
		"all":   "claim ns/c, request r: asks for all devices, but resource pool p is currently being updated",
		"other": "0/1 nodes are available: cannot allocate all claims",
	}})
	if len(f.Violations) != 1 || f.Violations[0] != waits("other") || !slices.Equal(names, []string{"kubernetes#141829"}) {
		t.Errorf("%v excuse all but %v", names, f.Violations)
	}
}

// On a newer minor version, known issues excused findings before anybody had reviewed them for it.
func TestUnreviewedIssuesExcuseNothing(t *testing.T) {
	target := stock()
	target.Running[0].Version = "v1.99.0"
	e := &exploring{bed: &testbed.Testbed{Target: target}}
	for _, known := range knownIssues() {
		if e.affected(known) {
			t.Errorf("%s through %s excuses on %s", known.Issue, known.Through, target.Running[0].Version)
		}
	}
}

// A pod deleted by the controller for device taints was awaited for 45 s.
func TestEvictedPodIsNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		evicted := &trial{
			client: fake.NewClientset(), namespace: namespaceObject("ns"), pods: newPodWatch(), evicted: map[string]bool{},
			problem: &problem.Problem{Pods: []problem.Pod{{Name: "pod"}}},
		}
		// A pod deleted for another reason was taken for evicted, and not judged.
		if pods, _, err := evicted.decided(t.Context(), attempts{}); err == nil {
			t.Errorf("without taints: %v", pods)
		}
		broken := resourceapi.Device{Taints: []resourceapi.DeviceTaint{{Effect: resourceapi.DeviceTaintEffectNoExecute}}}
		evicted.problem.Slices = []resourceapi.ResourceSlice{{Spec: resourceapi.ResourceSliceSpec{Devices: []resourceapi.Device{broken}}}}
		if pods, _, err := evicted.decided(t.Context(), attempts{}); err != nil || len(pods) > 0 {
			t.Errorf("%v, %v", pods, err)
		}
	})
}

// The scheduler reports no attempt with the message in its cache: the pod was awaited for 45 s.
func TestSchedulerGetsFurtherEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waiting := &trial{
			client: fake.NewClientset(), namespace: namespaceObject("ns"), pods: newPodWatch(), evicted: map[string]bool{},
			problem: &problem.Problem{Pods: []problem.Pod{{Name: "pod"}}},
		}
		show := func(message string) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod"}, Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: message}}}}
			waiting.pods.pods = map[string]*corev1.Pod{"pod": pod}
			waiting.pods.changed <- struct{}{}
		}
		show("again")
		since := attempts{mark: "again", trigger: func(context.Context) error { show("no devices"); return nil }}
		if pods, _, err := waiting.decided(t.Context(), since); err != nil || len(pods) != 1 {
			t.Errorf("%v, %v", pods, err)
		}
	})
}
