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

	"github.com/dra-conformance/dratest/framework/spec"
)

// The API server showed for 0.3 s that a node had nothing to offer any more when the
// scheduler, which was late, placed one more pod there for it.
func TestSchedulerKnowsOfTheEndOfAnOffer(t *testing.T) {
	w, f := newWorld(), newFake(t)
	f.Client, f.objects, f.env.Agents, f.Driver = w.client, w, w, f.addDriver("d", f.meta.Needs.Profile)
	for _, name := range []string{"a", "b"} {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if err := w.client.Tracker().Add(n); err != nil {
			t.Fatal(err)
		}
	}
	succeeds(t, f, func() { f.Driver.OfferOn("a", spec.DevicePlugin{Resource: "example.com/gpu"}) })
	if want := []string{"delete pod known"}; !slices.Equal(w.log, want) {
		t.Errorf("did %q, want %q", w.log, want)
	}
	if n, err := w.client.CoreV1().Nodes().Get(t.Context(), "a", metav1.GetOptions{}); err != nil || len(n.Labels) != 0 {
		t.Errorf("%v, labels %v", err, n.Labels)
	}
}
