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

package perf

import (
	"errors"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

// changing returns a field with two nodes and a fake API server.
func changing() (*fixture, *fake.Clientset) {
	client := fake.NewClientset()
	node := func(name string) corev1.Node {
		return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	}
	return &fixture{client: client, nodes: []corev1.Node{node("a"), node("b")}, generations: make([]int64, 2)}, client
}

// Changes are counted, published as new generations, and removed at the end.
func TestChanges(t *testing.T) { synctest.Test(t, testChanges) }

func testChanges(t *testing.T) {
	f, client := changing()
	w := Workload{Devices: 3, Changes: Changes{Slices: 10, Nodes: 5}}
	if err := f.publishAll(t.Context(), w, w.Devices); err != nil {
		t.Fatal(err)
	}
	if got, want := f.take(), map[string]int{"POST resourceslices": 2}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	_, stop := f.change(t.Context(), w)
	time.Sleep(1050 * time.Millisecond)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	done := f.take()
	if want := map[string]int{"PUT resourceslices": 11, "POST nodes": 3, "DELETE nodes": 4}; !maps.Equal(done, want) {
		t.Errorf("got %v, want %v", done, want)
	}
	slices, err := client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(slices.Items) != 2 {
		t.Fatalf("%d slices, %v", len(slices.Items), err)
	}
	for i, s := range slices.Items {
		if s.Spec.Pool.Generation != f.generations[i] || s.Spec.Pool.Generation < 2 || len(s.Spec.Devices) != 3 {
			t.Errorf("slice %s is of generation %d, with %d devices", s.Name, s.Spec.Pool.Generation, len(s.Spec.Devices))
		}
	}
	if nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); err != nil || len(nodes.Items) > 0 {
		t.Errorf("%d passing nodes are left, %v", len(nodes.Items), err)
	}
}

func TestChangesThatFailAreTold(t *testing.T) { synctest.Test(t, testChangesThatFail) }

func testChangesThatFail(t *testing.T) {
	f, client := changing()
	broken := errors.New("broken")
	client.PrependReactor("create", "nodes", func(k8stesting.Action) (bool, runtime.Object, error) { return true, nil, broken })
	ctx, stop := f.change(t.Context(), Workload{Changes: Changes{Nodes: 5}})
	<-ctx.Done() // waiters are canceled
	if err := stop(); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
