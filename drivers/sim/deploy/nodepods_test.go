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

package deploy

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	kubetesting "k8s.io/client-go/testing"
)

// TestNodePods has pods ending as in the table; the fake cluster's logs have no evidence.
func TestNodePods(t *testing.T) {
	waits := func(reason string) corev1.PodStatus {
		return corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
			Image: "none:1", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "no such image"}},
		}}}
	}
	tests := []struct {
		name   string
		status corev1.PodStatus
		want   string
	}{
		{"no image", waits("ErrImagePull"), "the pod cannot start: image none:1: ErrImagePull: no such image"},
		{"evicted", corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "disk"}, "Evicted disk"},
		{"prints something else", corev1.PodStatus{Phase: corev1.PodSucceeded}, `the log has no evidence, but "fake logs"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			client := fake.NewClientset()
			client.PrependReactor("create", "namespaces", func(a kubetesting.Action) (bool, runtime.Object, error) {
				a.(kubetesting.CreateAction).GetObject().(*corev1.Namespace).Name = "dratest-gather-x"
				return false, nil, nil
			})
			client.PrependReactor("create", "pods", func(a kubetesting.Action) (bool, runtime.Object, error) {
				p := a.(kubetesting.CreateAction).GetObject().(*corev1.Pod)
				p.Name, p.Status = "read-x", test.status
				return false, nil, nil
			})
			n, err := NewNodePods(t.Context(), client, Config{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := n.Evidence(t.Context(), "worker", time.Now()); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %s", err, test.want)
			}
			p, err := client.CoreV1().Pods("dratest-gather-x").Get(t.Context(), "read-x", metav1.GetOptions{})
			if err != nil || p.Spec.NodeName != "worker" || *p.Spec.AutomountServiceAccountToken {
				t.Errorf("%v, pod %v", err, p)
			}
			if err := n.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if l, err := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{}); err != nil || len(l.Items) > 0 {
				t.Errorf("left: %v, %v", l, err)
			}
		})
	}
}
