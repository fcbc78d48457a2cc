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

package certify

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// node is a ready Linux node as the probe and the API server have it.
func node(b *testbed.Testbed, name string, change func(*corev1.Node, *spec.Node)) {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"pool": "gpu"}}}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	probed := spec.Node{Name: name, OS: "linux", Schedulable: true}
	change(n, &probed)
	b.Target.Nodes = append(b.Target.Nodes, probed)
	_ = b.Client.(*fake.Clientset).Tracker().Add(n) // each name is there once
}

func tainted(key string) func(*corev1.Node, *spec.Node) {
	return func(n *corev1.Node, p *spec.Node) {
		n.Spec.Taints, p.Schedulable = []corev1.Taint{{Key: key, Value: "true", Effect: corev1.TaintEffectNoSchedule}}, false
	}
}

func TestTolerate(t *testing.T) {
	b := &testbed.Testbed{Client: fake.NewClientset()}
	node(b, "plain", func(*corev1.Node, *spec.Node) {})
	node(b, "gpu", tainted("gpu"))
	node(b, "infra", tainted("infra"))
	node(b, "cordoned", func(n *corev1.Node, p *spec.Node) { n.Spec.Unschedulable, p.Schedulable = true, false })
	node(b, "away", func(n *corev1.Node, p *spec.Node) { n.Status.Conditions, p.Schedulable = nil, false })
	node(b, "win", func(_ *corev1.Node, p *spec.Node) { p.OS = "windows" })
	node(b, "kwok", func(_ *corev1.Node, p *spec.Node) { p.Simulated = true })
	node(b, "other", func(n *corev1.Node, _ *spec.Node) { n.Labels = nil })
	d := declarations.Declaration{Workload: declarations.Workload{Template: map[string]any{
		"tolerations": []any{map[string]any{"key": "gpu", "operator": "Exists"}}, "nodeSelector": map[string]any{"pool": "gpu"},
	}}}
	leftOut, err := tolerate(t.Context(), b, d)
	if err != nil {
		t.Fatal(err)
	}
	// Other is left out only by the discovery of devices: it can run pods.
	if got := b.Target.Workers(); !slices.Equal(got, []string{"plain", "gpu", "other"}) {
		t.Errorf("workers: %v", got)
	}
	lines := strings.Join(world{leftOut: leftOut}.nodesLeftOut(), "\n")
	for _, want := range []string{
		"node away: not ready", "node cordoned: cordoned", "node infra: the pod template does not tolerate its taint infra=true:NoSchedule", "node kwok: simulated", "node win: its operating system is windows",
		"node other: not selected by nodeSelector of the pod template",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("lacks %q:\n%s", want, lines)
		}
	}
	if strings.Contains(lines, "plain") || strings.Contains(lines, "gpu=") {
		t.Errorf("a node that is used is left out:\n%s", lines)
	}
}

// The class was blamed for devices on tainted nodes.
func TestDevicesOnUnusedNodes(t *testing.T) {
	d, w := declared(), installed()
	w.nodes, w.leftOut = map[string]labels.Set{}, map[string]string{"a": "cordoned", "b": "workload.template does not tolerate its taint gpu:NoSchedule"}
	_, err := newObservation(t.Context(), d, w)
	want := "publishes devices only on nodes that are not used: node a: cordoned; node b: workload.template does not tolerate its taint gpu:NoSchedule"
	if !errors.Is(err, ErrNotThere) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestTrialHasTheTemplate(t *testing.T) {
	client := fake.NewClientset()
	s := spec.DriverUnderTest{
		DriverClass: spec.DriverClass{Class: "gpu"}, Workload: spec.Workload{Pod: map[string]any{"priorityClassName": "high"}},
		Namespaces: spec.NamespaceMeta{Labels: map[string]string{spec.PodSecurity: "restricted"}, Annotations: map[string]string{"a": "b"}},
	}
	synctest.Test(t, func(t *testing.T) { // removing takes its time with a fake
		if _, err := try(t.Context(), client, s, "a", "image", 0); err == nil {
			t.Error("the pod runs")
		}
	})
	seen := 0
	for _, a := range client.Actions() {
		create, ok := a.(clienttesting.CreateAction)
		if !ok {
			continue
		}
		switch o := create.GetObject().(type) {
		case *corev1.Namespace:
			seen++
			if o.Labels[spec.PodSecurity] != "restricted" || o.Labels[spec.LabelManagedBy] != spec.ManagedBy || o.Annotations["a"] != "b" {
				t.Errorf("namespace: %v, %v", o.Labels, o.Annotations)
			}
		case *corev1.Pod:
			seen++
			if o.Spec.PriorityClassName != "high" {
				t.Errorf("pod: %+v", o.Spec)
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d of namespace and pod were created", seen)
	}
}
