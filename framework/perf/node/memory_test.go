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

package node

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// kube-controller-manager also runs beside this project's controllers: without it, their memory would
// be underestimated.
func TestMemoryOfControllersIsThatOfAll(t *testing.T) {
	pod := func(name, node string) corev1.Pod {
		return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{NodeName: node}}
	}
	got := ofControllers([]corev1.Pod{pod("kube-scheduler-n", "n"), pod("kube-controller-manager-n", "n"), pod("dra-controller-manager-1", "n"), pod("dra-controller-manager-2", "")})
	if len(got) != 2 || got[0].Name != "kube-controller-manager-n" || got[1].Name != "dra-controller-manager-1" {
		t.Errorf("got %+v", got)
	}
	memory, err := memoryOf("a", []byte(`{"pods":[{"podRef":{"name":"b"},"containers":[{"memory":{"rssBytes":1}}]},{"podRef":{"name":"a"},"containers":[{"memory":{"rssBytes":7}}]}]}`))
	if err != nil || memory != 7 {
		t.Errorf("got %v, %v", memory, err)
	}
	if _, err := memoryOf("a", []byte(`{"pods":[]}`)); err == nil {
		t.Error("no error for a pod without statistics")
	}
}

func TestOperationsSince(t *testing.T) {
	if got := (operations{7, 5}).since(operations{1, 2}); got != 2 {
		t.Errorf("got %v", got)
	}
}
