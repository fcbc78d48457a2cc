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

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
)

// Pods created together wait for drivers on different nodes: when each selected the best node for
// the first one, its driver rejected all but that, and 1000 pods needed three attempts each.
func TestPodsThatWaitAreSpread(t *testing.T) {
	story(t, func(w *world) {
		w.startScheduler()
		w.settle()
		selected := sets.New[string]()
		for _, pod := range []string{"1", "2", "3"} {
			selected.Insert(w.scheduling(pod).Spec.SelectedNode)
		}
		if !selected.Equal(sets.New("a", "b", "c")) {
			t.Errorf("selected: %v", sets.List(selected))
		}
		w.startDriver("one", sampledriver.Config{Devices: 1})
		w.settle()
		if w.attempts != 6 {
			t.Errorf("%d attempts for 3 pods, want 2 for each", w.attempts)
		}
		w.wantTalks(0)
	}, newClaim("1", "one", ""), newPod("1", "1"), newClaim("2", "one", ""), newPod("2", "2"), newClaim("3", "one", ""), newPod("3", "3"))
}

// The score stays in the framework's range for any number of waiting pods.
func TestScoreHasBounds(t *testing.T) {
	for waiting, want := range map[int64]int64{0: 100, 1: 90, 10: 0, 1000: 0} {
		cycle := newCycle()
		cycle.Write(attemptKey, &attempt{selected: map[string]int64{"a": waiting}})
		if got, status := (&Plugin{}).Score(t.Context(), cycle, nil, testNode{node: &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}}); got != want || !status.IsSuccess() {
			t.Errorf("%d wait: got %d, %v, want %d", waiting, got, status, want)
		}
	}
	if got, status := (&Plugin{}).Score(t.Context(), newCycle(), nil, testNode{node: &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}}); got != 0 || !status.IsSuccess() {
		t.Errorf("a pod without classic claims: got %d, %v", got, status)
	}
}

// best is the node with the highest score, or the first of several.
func (w *world) best(cycle fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) string {
	w.Helper()
	best, highest := "", int64(-1)
	for _, node := range nodes {
		score, status := w.plugin.Score(w.Ctx, cycle, pod, node)
		w.Must(status.AsError())
		if score > highest {
			best, highest = node.Node().Name, score
		}
	}
	return best
}
