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

package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestSlim(t *testing.T) {
	pod := &corev1.Pod{}
	pod.Name = "pod"
	if got, err := slim(pod); got != pod || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := slim("text"); got != "text" || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

// Ten thousand pods were cached completely, although controllers only read their claims.
func TestPodsAreKeptForTheirClaims(t *testing.T) {
	claim := "c"
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "1", ManagedFields: []metav1.ManagedFieldsEntry{{}}},
		Spec: corev1.PodSpec{
			NodeName: "n", Containers: []corev1.Container{{Name: "main"}}, Volumes: []corev1.Volume{{Name: "v"}},
			ResourceClaims: []corev1.PodResourceClaim{{Name: "r"}}, SchedulingGroup: &corev1.PodSchedulingGroup{},
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning, PodIP: "10.0.0.1", Conditions: []corev1.PodCondition{{Type: corev1.DisruptionTarget}},
			ResourceClaimStatuses:       []corev1.PodResourceClaimStatus{{Name: "r", ResourceClaimName: &claim}},
			ExtendedResourceClaimStatus: &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "x"},
		},
	}
	want := pod.DeepCopy()
	want.ManagedFields, want.Spec.Containers, want.Spec.Volumes, want.Status.PodIP = nil, nil, nil, ""
	got, err := slim(pod)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(any(want), got); d != "" {
		t.Errorf("want -, got +:\n%s", d)
	}
}
