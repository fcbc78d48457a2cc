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
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The cleanup of a case that failed before its node was out of service waited for pods that only
// the removal of the node would end.
func TestPodsOfNodesThatACaseMadeDoNotKeepItsCleanUp(t *testing.T) {
	w, f := newWorld(), newFake(t)
	w.podsStay = true // as the kubelet is not there that would end them
	f.Client, f.objects = w.client, w
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	bound := pod(func(p *corev1.Pod) { p.Name, p.Spec.NodeName = "bound", node.Name })
	if err := w.client.Tracker().Add(node); err != nil {
		t.Fatal(err)
	}
	if err := w.client.Tracker().Add(bound); err != nil {
		t.Fatal(err)
	}
	f.Track(node.DeepCopy())
	if err := f.removeObjects(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.client.CoreV1().Pods(namespace).Get(t.Context(), bound.Name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the pod: %v", err)
	}
	if len(w.log) < 2 || w.log[0] != "delete node "+node.Name || w.log[1] != "delete-collection pods" {
		t.Errorf("not the node first, and once: %q", w.log)
	}
}
