package harness

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestCountsEndWithTheCase(t *testing.T) {
	const resource corev1.ResourceName = "example.com/counted"
	w, f := newWorld(), newFake(t)
	f.Client, f.objects = w.client, w
	if err := w.client.Tracker().Add(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}); err != nil {
		t.Fatal(err)
	}
	expect := func(number int64, there bool) {
		t.Helper()
		n, err := w.client.CoreV1().Nodes().Get(t.Context(), "a", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for what, list := range map[string]corev1.ResourceList{"capacity": n.Status.Capacity, "allocatable": n.Status.Allocatable} {
			if got, ok := list[resource]; ok != there || got.Value() != number {
				t.Errorf("%s %v, there %v", what, list, ok)
			}
		}
	}

	succeeds(t, f, func() { f.CountOn("a", resource, 2) })
	expect(2, true)
	if err := f.hooks.runCleanup(t.Context(), false); err != nil {
		t.Error(err)
	}
	expect(0, false)
}
