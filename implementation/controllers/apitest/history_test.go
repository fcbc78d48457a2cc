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

package apitest

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Informers list, then watch. client-go's fake loses deletions in between: in one of 100 runs a
// controller waited forever for the deletion of a cached object.
func TestWatchReplaysDeletions(t *testing.T) {
	node := func(name string, finalizers ...string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: finalizers}}
	}
	client := New(node("before"), node("deleted"), node("finalized", "f"), node("recreated"), node("stays"))
	nodes := client.CoreV1().Nodes()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	create := func(name string) {
		_, err := nodes.Create(t.Context(), node(name), metav1.CreateOptions{})
		must(err)
	}
	must(nodes.Delete(t.Context(), "before", metav1.DeleteOptions{}))
	list, err := nodes.List(t.Context(), metav1.ListOptions{})
	must(err)
	for _, name := range []string{"deleted", "finalized", "recreated"} {
		must(nodes.Delete(t.Context(), name, metav1.DeleteOptions{}))
	}
	finalized, err := nodes.Get(t.Context(), "finalized", metav1.GetOptions{})
	must(err)
	finalized.Finalizers = nil
	_, err = nodes.Update(t.Context(), finalized, metav1.UpdateOptions{})
	must(err)
	create("recreated")
	create("new")
	watched, err := nodes.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	must(err)
	create("last")
	watched.Stop()
	var got []string
	for event := range watched.ResultChan() {
		accessor, err := meta.Accessor(event.Object)
		must(err)
		got = append(got, string(event.Type)+" "+accessor.GetName())
	}
	last := len(got) - 1
	slices.Sort(got[:last]) // The tracker has objects in a map.
	if want := []string{"ADDED new", "ADDED recreated", "DELETED deleted", "DELETED finalized", "ADDED last"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
