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

package scheduler

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
)

// The selected node, or all requested nodes, fill up before drivers have answered: others are
// tried, without evictions.
func TestNodesInQuestionFillUp(t *testing.T) {
	for _, claims := range [][]string{{"first"}, {"first", "second"}} {
		story(t, func(w *world) {
			w.full = sets.New("b", "c")
			w.startScheduler()
			w.settle()
			w.full = sets.New("a")
			w.attempt("pod") // like the scheduler after any node event
			w.settle()
			if spec := w.scheduling("pod").Spec; spec.SelectedNode == "a" || !sets.New(spec.PotentialNodes...).HasAll("b", "c") {
				t.Errorf("%d claims: asked %v", len(claims), spec)
			}
			if w.evictions > 0 {
				t.Errorf("%d claims: pods are evicted although there are free nodes", len(claims))
			}
			w.startDriver("one", sampledriver.Config{Devices: 1})
			w.startDriver("two", sampledriver.Config{Devices: 1})
			w.settle()
			w.wantNodes(map[string]string{"pod": "b"})
		}, newClaim("first", "one", ""), newClaim("second", "two", ""), newPod("pod", claims...))
	}
}

// A plugin rejecting the pod as a whole is no answer about the nodes.
func TestAnotherPluginRejectsThePod(t *testing.T) {
	story(t, func(w *world) {
		w.startScheduler()
		w.settle()
		before := w.scheduling("pod").Spec
		w.rejects = true
		w.attempt("pod")
		if _, woken := w.handle.next(); woken || len(w.plugin.cluster.rejected(w.pod("pod").UID)) > 0 {
			t.Error("the selected node is given up")
		}
		w.rejects = false
		w.attempt("pod")
		if after := w.scheduling("pod").Spec; after.SelectedNode != before.SelectedNode {
			t.Errorf("selected %s, then %s", before.SelectedNode, after.SelectedNode)
		}
	}, newClaim("claim", "one", ""), newPod("pod", "claim"))
}
