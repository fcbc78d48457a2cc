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

package monitor

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// run is a monitored run with two cases, of which the second restarts components.
func run(t *testing.T, made bool, do func(client *fake.Clientset, progress func(spec.Progress))) ([]spec.Finding, spec.Monitoring) {
	t.Helper()
	var findings []spec.Finding
	var seen spec.Monitoring
	synctest.Test(t, func(t *testing.T) {
		older := claim("older")
		older.Namespace = "default"
		client := fake.NewClientset(older, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}})
		progress := make(chan spec.Progress, 10)
		m := newMonitor(Config{
			Cases: []spec.Meta{{ID: "core/a"}, {ID: "node/b", Needs: spec.Needs{Disruption: true}}}, Made: made,
			Progress: func() (all []spec.Progress) {
				for len(progress) > 0 {
					all = append(all, <-progress)
				}
				return all
			},
			Found: func(f spec.Finding) { findings = append(findings, f) },
		})
		m.client = client
		client.PrependReactor("list", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "leases"}, "", nil)
		})
		m.begin(t.Context())
		synctest.Wait()
		do(client, func(p spec.Progress) { progress <- p })
		synctest.Wait()
		seen = m.Stop(t.Context())
	})
	return findings, seen
}

// An upgrade interrupted after it drained a node went on, uncordoned the node, and failed for that.
func TestNodeCordonedBeforeAResumedRun(t *testing.T) {
	for _, resumed := range []bool{false, true} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: corev1.NodeSpec{Unschedulable: true}}
		client := fake.NewClientset(node)
		m := newMonitor(Config{Made: true, Resumed: resumed})
		m.client = client
		before := m.existing(t.Context())
		node.Spec.Unschedulable = false
		if _, err := client.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if changed := before.compare(m.existing(t.Context())); len(changed) > 0 == resumed {
			t.Errorf("resumed %t: %+v", resumed, changed)
		}
	}
}

func create(t *testing.T, client *fake.Clientset, namespace string, claims ...*resourceapi.ResourceClaim) {
	t.Helper()
	for _, c := range claims {
		c.Namespace = namespace
		if _, err := client.ResourceV1().ResourceClaims(namespace).Create(t.Context(), c, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFindings(t *testing.T) {
	for name, test := range map[string]struct {
		made bool
		do   func(client *fake.Clientset, progress func(spec.Progress))
		want string
	}{
		"nothing": {true, func(*fake.Clientset, func(spec.Progress)) { time.Sleep(time.Minute) }, ""},
		"devices of a case": {false, func(client *fake.Clientset, progress func(spec.Progress)) {
			progress(spec.Progress{Time: time.Now(), ID: "core/a"})
			create(t, client, testNamespace, claim("a", "x"), claim("b", "x"))
		}, "violation double-allocated [core/a] [resourceclaims/dratest-bcdfg/a resourceclaims/dratest-bcdfg/b]"},
		"somebody else's devices": {false, func(client *fake.Clientset, _ func(spec.Progress)) {
			create(t, client, "default", claim("a", "x"), claim("b", "x"))
		}, "warning double-allocated [] [resourceclaims/default/a resourceclaims/default/b]"},
		"node is gone": {true, func(client *fake.Clientset, _ func(spec.Progress)) {
			_ = client.CoreV1().Nodes().Delete(t.Context(), "n", metav1.DeleteOptions{})
		}, "violation object-gone [] [nodes/n]"},
		"somebody else's claim is gone": {false, func(client *fake.Clientset, _ func(spec.Progress)) {
			_ = client.ResourceV1().ResourceClaims("default").Delete(t.Context(), "older", metav1.DeleteOptions{})
		}, "warning object-gone [] [resourceclaims/default/older]"},
		"somebody else's class is changed": {false, func(client *fake.Clientset, _ func(spec.Progress)) {
			class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}, Spec: resourceapi.DeviceClassSpec{Selectors: []resourceapi.DeviceSelector{{}}}}
			_, _ = client.ResourceV1().DeviceClasses().Update(t.Context(), class, metav1.UpdateOptions{})
		}, "warning object-changed [] [deviceclasses/gpu]"},
	} {
		t.Run(name, func(t *testing.T) {
			found, seen := run(t, test.made, test.do)
			got := ""
			for _, f := range found {
				got += fmt.Sprintf("%s %s %v %v", f.Severity, f.Rule, f.Cases, f.Objects)
			}
			if got != test.want {
				t.Errorf("found %s, want %s", got, test.want)
			}
			if len(seen.Unwatched) != 2 || !slices.IsSorted(seen.Unwatched) {
				t.Errorf("unwatched: %v", seen.Unwatched)
			}
		})
	}
}

// A scheduler with a known issue allocates a device twice in the case that shows it.
func TestCasesWithKnownIssuesJudgeTheirClaims(t *testing.T) {
	const ordinary = "dratest-ghjkl"
	c := newCases([]spec.Meta{{ID: "api/tolerations", KnownIssue: &spec.KnownIssue{}}, {ID: "allocation/tolerations"}}, "")
	device := func(namespace string) observation {
		return observation{namespace: namespace, driver: harness.DriverName("api/tolerations", namespace)}
	}
	reservation := func(namespace string) observation { return observation{namespace: namespace} }
	if c.judge(device(testNamespace)) || c.judge(reservation(testNamespace)) || c.judge(observation{}) {
		t.Error("a namespace of no case is excused")
	}
	c.see([]spec.Progress{
		{Time: t0, ID: "api/tolerations"}, {Time: t0, ID: "api/tolerations", Step: "in namespace " + testNamespace + ", on n"},
		{Time: t0, ID: "allocation/tolerations"}, {Time: t0, ID: "allocation/tolerations", Step: "in namespace " + ordinary + ", without a node"},
	})
	if !c.judge(device(testNamespace)) || !c.judge(reservation(testNamespace)) {
		t.Error("a case with a known issue is not excused")
	}
	if c.judge(reservation(ordinary)) {
		t.Error("a reservation of an ordinary case is excused while another case with a known issue runs")
	}
	if c.judge(device(ordinary)) {
		t.Error("a device of an ordinary case with the name of another one is excused")
	}
	c.metas["allocation/tolerations"] = spec.Meta{KnownIssue: &spec.KnownIssue{Component: spec.Kubelet}}
	if c.judge(reservation(ordinary)) {
		t.Error("a known issue of the kubelet excuses a reservation")
	}
	if c.judge(observation{namespace: testNamespace, driver: "gpu.example.com"}) {
		t.Error("a device of the driver under test is excused")
	}
}

func TestDisruptionIsExcusedWhileItLasts(t *testing.T) {
	for name, test := range map[string]struct {
		id        string
		after     time.Duration
		violation bool
	}{
		"by an ordinary case":           {"core/a", 0, true},
		"by a case that restarts":       {"node/b", 0, false},
		"just after such a case":        {"node/b", recovery - time.Second, false},
		"long after the end of the one": {"node/b", recovery, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCases([]spec.Meta{{ID: "core/a"}, {ID: "node/b", Needs: spec.Needs{Restarts: spec.Worker}}}, "")
			c.see([]spec.Progress{{Time: t0, ID: test.id}, {Time: t0, ID: test.id, Step: "restart it"}})
			if len(c.running()) != 1 {
				t.Errorf("running: %v", c.running())
			}
			if test.after > 0 {
				c.see([]spec.Progress{{Time: t0, ID: test.id, Outcome: &spec.Outcome{}}})
			}
			if got := c.disrupted(after(test.after)); got == test.violation {
				t.Errorf("disrupted: %t", got)
			}
		})
	}
}

// A case that holds the node set aside restarts nothing that others use, so only its own node and claims are excused.
func TestRestartsOfTheNodeSetAside(t *testing.T) {
	metas := []spec.Meta{{ID: "core/a"}, {ID: "node/b", Needs: spec.Needs{Restarts: spec.Worker}, HoldsNode: true}, {ID: "node/counts", HoldsNode: true}}
	for _, setAside := range []string{"", "worker3"} {
		c := newCases(metas, setAside)
		for i, m := range metas {
			c.see([]spec.Progress{{Time: t0, ID: m.ID}, {Time: t0, ID: m.ID, Step: fmt.Sprintf("in namespace dratest-%d, on a", i)}})
		}
		for name, tc := range map[string]struct {
			o    observation
			want bool
		}{
			"no restart":                 {observation{node: "worker3"}, false},
			"on the node":                {observation{restart: true, node: "worker3"}, true},
			"on another node":            {observation{restart: true, node: "worker"}, setAside == ""},
			"of a lease":                 {observation{restart: true}, setAside == ""},
			"a claim of the case":        {observation{restart: true, namespace: "dratest-1"}, true},
			"a claim of another case":    {observation{restart: true, namespace: "dratest-0"}, setAside == ""},
			"of a case without restarts": {observation{restart: true, namespace: "dratest-2"}, setAside == ""},
			"a namespace without cases":  {observation{restart: true, namespace: "default"}, setAside == ""},
		} {
			if got := c.excuses(tc.o, t0); got != tc.want {
				t.Errorf("node set aside %q, %s: excused: %t", setAside, name, got)
			}
		}
		c.see([]spec.Progress{{Time: t0, ID: "node/b", Outcome: &spec.Outcome{}}})
		for late, want := range map[time.Duration]bool{recovery - time.Second: true, recovery: false} {
			if got := c.excuses(observation{restart: true, node: "worker3"}, after(late)); got != want {
				t.Errorf("node set aside %q, %s after the case: excused: %t", setAside, late, got)
			}
		}
	}
}
