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

package testbed

import (
	"io"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TestFit: pods with a template run on nodes with tolerated taints, and on no others than those it selects.
func TestFit(t *testing.T) {
	node := func(name, pool string, taints ...corev1.Taint) *corev1.Node {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"pool": pool}}, Spec: corev1.NodeSpec{Taints: taints}}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		return n
	}
	gpu := corev1.Taint{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}
	for _, tc := range []struct {
		name     string
		template map[string]any
		want     []string
	}{
		{"no template", nil, []string{"cpu"}},
		{"tolerated", map[string]any{"tolerations": []any{map[string]any{"key": "gpu", "operator": "Exists"}}}, []string{"cpu", "gpu"}},
		{"selected", map[string]any{"tolerations": []any{map[string]any{"key": "gpu", "operator": "Exists"}}, "nodeSelector": map[string]any{"pool": "gpu"}}, []string{"gpu"}},
	} {
		b := &Testbed{Client: fake.NewClientset(node("cpu", "cpu"), node("gpu", "gpu", gpu)), Progress: progress.New(io.Discard), podTemplate: tc.template}
		b.Target.Nodes = []spec.Node{{Name: "cpu", OS: "linux", Schedulable: true}, {Name: "gpu", OS: "linux"}}
		if err := b.fit(t.Context()); err != nil || !slices.Equal(b.Target.Workers(), tc.want) {
			t.Errorf("%s: %v, %v, want %v", tc.name, b.Target.Workers(), err, tc.want)
		}
	}
}

// TestClusterOfTaintedNodes: where all workers are tainted, no template helped, and the message named none.
func TestClusterOfTaintedNodes(t *testing.T) {
	gpu := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}, Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}}}}
	gpu.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	b := &Testbed{Client: fake.NewClientset(gpu), Progress: progress.New(io.Discard)}
	b.Target.Nodes = []spec.Node{{Name: "gpu", OS: "linux"}}
	want := "  node gpu: the pod template does not tolerate its taint gpu:NoSchedule\n" +
		"tolerate the taint of the nodes with devices, with workload.template in driver.yaml or --pod-template"
	if err := b.noWorker(t.Context()); err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
	b.podTemplate = map[string]any{"tolerations": []any{map[string]any{"key": "gpu", "operator": "Exists"}}}
	if err := b.fit(t.Context()); err != nil || !slices.Equal(b.Target.Workers(), []string{"gpu"}) {
		t.Errorf("%v, %v", b.Target.Workers(), err)
	}
}

// TestAgentTemplate: the agents' own fields take precedence.
func TestAgentTemplate(t *testing.T) {
	if (Sim{}).WithTemplate(nil).Config.Adapt != nil {
		t.Error("changes agents without a template")
	}
	adapt := Sim{}.WithTemplate(map[string]any{
		"priorityClassName": "high", "hostPID": false, "containers": []any{map[string]any{"name": "*", "securityContext": map[string]any{"privileged": false}, "resources": map[string]any{"limits": map[string]any{"cpu": "1"}}}},
	}).Config.Adapt
	privileged := true
	got, err := adapt(corev1.PodSpec{HostPID: true, Containers: []corev1.Container{{Name: deploy.Name, SecurityContext: &corev1.SecurityContext{Privileged: &privileged}}}})
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Containers[0]; got.PriorityClassName != "high" || !got.HostPID || !*c.SecurityContext.Privileged || c.Resources.Limits.Cpu().String() != "1" {
		t.Errorf("got %+v", got)
	}
}
