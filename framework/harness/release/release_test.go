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

package release

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

const namespace = "dratest-abcde"

func TestLetClaimsGo(t *testing.T) {
	pod := resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: "pod", UID: "1"}
	other := resourceapi.ResourceClaimConsumerReference{APIGroup: "example.com", Resource: "consumers", Name: "other", UID: "2"}
	held := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "held", Finalizers: []string{"example.com/kept", resourceapi.Finalizer}}}
	held.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{other, pod}
	plain := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "plain"}}
	client := fake.NewClientset(held, plain)
	if err := Claims(t.Context(), client, namespace); err != nil {
		t.Fatal(err)
	}
	got, err := client.ResourceV1().ResourceClaims(namespace).Get(t.Context(), held.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{resourceapi.Finalizer}, got.Finalizers); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]resourceapi.ResourceClaimConsumerReference{pod}, got.Status.ReservedFor); d != "" {
		t.Error(d)
	}
}

func TestLetPodsGo(t *testing.T) {
	held := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "held", Finalizers: []string{"example.com/kept", "batch.kubernetes.io/job-tracking"}}}
	plain := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "plain"}}
	client := fake.NewClientset(held, plain)
	if err := Pods(t.Context(), client, namespace); err != nil {
		t.Fatal(err)
	}
	got, err := client.CoreV1().Pods(namespace).Get(t.Context(), held.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"batch.kubernetes.io/job-tracking"}, got.Finalizers); d != "" {
		t.Error(d)
	}
}
