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
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"
)

func TestDeploymentWarnings(t *testing.T) {
	node := func(name string, taints ...corev1.Taint) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Taints: taints}}
	}
	gpu, soft := corev1.Taint{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}, corev1.Taint{Key: "soft", Effect: corev1.TaintEffectPreferNoSchedule}
	client := fake.NewClientset(node("a", gpu, soft, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}), node("b", gpu), node("not-used", corev1.Taint{Key: "x", Effect: corev1.TaintEffectNoExecute}))
	for _, tc := range []struct {
		name   string
		change func(*appsv1.DaemonSet)
		says   string
	}{
		{"all is well", func(*appsv1.DaemonSet) {}, ""},
		{"no priority", func(s *appsv1.DaemonSet) { s.Spec.Template.Spec.PriorityClassName = "" }, "no priorityClassName"},
		{"no toleration", func(s *appsv1.DaemonSet) { s.Spec.Template.Spec.Tolerations = nil }, "no toleration for taint gpu:NoSchedule of node a, b"},
		{"no readiness", func(s *appsv1.DaemonSet) { s.Spec.Template.Spec.Containers[0].ReadinessProbe = nil }, "maxSurge without readinessProbe"},
		{"no readiness, and time", func(s *appsv1.DaemonSet) {
			s.Spec.Template.Spec.Containers[0].ReadinessProbe, s.Spec.MinReadySeconds = nil, 10
		}, ""},
		{"no readiness, no surge", func(s *appsv1.DaemonSet) {
			s.Spec.Template.Spec.Containers[0].ReadinessProbe, s.Spec.UpdateStrategy.RollingUpdate = nil, nil
		}, ""},
	} {
		set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "gpu", Name: "driver"}}
		set.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{MaxSurge: ptr.To(intstr.FromInt32(1))}
		set.Spec.Template.Spec = corev1.PodSpec{PriorityClassName: "system-node-critical", Containers: []corev1.Container{{ReadinessProbe: &corev1.Probe{}}}, Tolerations: []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}}}
		tc.change(set)
		warnings, err := deployment(t.Context(), client, set, []string{"a", "b"})
		got := strings.Join(warnings, "\n")
		if err != nil || (got == "") != (tc.says == "") || !strings.Contains(got, tc.says) {
			t.Errorf("%s: %q, %v, want %q", tc.name, got, err, tc.says)
		}
	}
	if got, err := deployment(t.Context(), client, nil, nil); err != nil || len(got) > 0 {
		t.Errorf("without a daemon set: %v, %v", got, err)
	}
}
