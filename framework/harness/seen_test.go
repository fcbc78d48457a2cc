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
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A scheduler that was late with the last of three slices had placed a pod by the two others.
// What was seen once shows nothing of what comes later: each sign takes devices of its own.
func TestEachSignIsNewerThanWhatItIsFor(t *testing.T) {
	w, f := newWorld(), newFake(t)
	f.Client, f.objects, f.Nodes = w.client, w, []string{"a"}
	if err := w.client.Tracker().Add(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}); err != nil {
		t.Fatal(err)
	}
	succeeds(t, f, f.AwaitSeen)
	succeeds(t, f, f.AwaitSeen)
	for pod, driver := range map[string]string{"seen-1-0": "seen-1-abcde.dra-conformance.github.io", "seen-2-0": "seen-2-abcde.dra-conformance.github.io"} {
		claim, err := w.client.ResourceV1().ResourceClaims(namespace).Get(t.Context(), pod, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := claim.Spec.Devices.Requests[0].Exactly.DeviceClassName; got != driver {
			t.Errorf("claim of pod %s: class %s, want %s", pod, got, driver)
		}
		slice, err := w.client.ResourceV1().ResourceSlices().Get(t.Context(), driver, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if slice.Spec.Driver != driver || *slice.Spec.NodeName != "a" || len(slice.Spec.Devices) != 1 {
			t.Errorf("slice for pod %s: %v", pod, slice.Spec)
		}
	}
}

func TestAwaitNodeSeenLeavesNothing(t *testing.T) {
	w, f := newWorld(), newFake(t)
	f.Client, f.objects = w.client, w
	for _, name := range []string{"a", "b"} {
		if err := w.client.Tracker().Add(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			t.Fatal(err)
		}
	}
	succeeds(t, f, func() { f.AwaitNodeSeen("a") })
	if want := []string{"delete pod known"}; !slices.Equal(w.log, want) {
		t.Errorf("did %q, want %q", w.log, want)
	}
	if n, err := w.client.CoreV1().Nodes().Get(t.Context(), "a", metav1.GetOptions{}); err != nil || len(n.Labels) != 0 {
		t.Errorf("%v, labels %v", err, n.Labels)
	}
}
