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
	"fmt"
	"maps"
	"slices"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// ofModel makes a class select a model.
func ofModel(model string) func(*resourceapi.DeviceClass) {
	return func(c *resourceapi.DeviceClass) {
		c.Spec.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{
			Expression: `device.attributes["driver.example.com"].model == "` + model + `"`,
		}}}
	}
}

func model(name string) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"model": {StringValue: &name}}
	}
}

func TestEarlierAlternativesWin(t *testing.T) {
	w := newWorld(t, node("a"), node("b"), node("c"),
		slice("a", 1, model("old")), slice("b", 1, model("new")), slice("c", 1, model("other")),
		class("new", ofModel("new")), class("old", ofModel("old")), asking("claim", 1, alternatives("new", "old")))
	r := w.find(using("pod", "claim"))
	r.wantNode("b")
	scores := make(map[string]int64)
	for _, n := range w.nodes {
		scores[n.Name], _ = w.plugin.Score(w.ctx, r.cycle, r.pod, testNode{node: n})
	}
	if scores["a"] != 7 || scores["b"] != 8 || scores["c"] != 0 {
		t.Errorf("scores: %v", scores)
	}
	if message := r.bind(); message != "" {
		t.Fatal(message)
	}
	if got := w.claim("claim").Status.Allocation.Devices.Results[0].Request; got != "request/new" {
		t.Errorf("request %q", got)
	}
	// Allocated alternatives count like pending ones.
	if score := allocatedScore(w.claim("claim")); score != 8 {
		t.Errorf("score of the allocation: %d", score)
	}
}

func TestPreScoreSkipsPodsWithoutAlternatives(t *testing.T) {
	w := newWorld(t, small(asking("listed", 1, alternatives("class")))...)
	for claim, skip := range map[string]bool{"one": true, "listed": false} {
		r := w.find(using("pod", claim))
		if got := w.plugin.PreScore(w.ctx, r.cycle, r.pod, nil).IsSkip(); got != skip {
			t.Errorf("claim %s: skip %v, want %v", claim, got, skip)
		}
	}
}

func TestPreScoreAsksNothingForPodsWithoutClaims(t *testing.T) {
	pl := &Plugin{features: AllFeatures()}
	// A node without a name: the pod is skipped before any is queried.
	nodes := []fwk.NodeInfo{testNode{}}
	if status := pl.PreScore(t.Context(), cycleOf(&attempt{}), nil, nodes); !status.IsSkip() {
		t.Errorf("PreScore: %v", status)
	}
}

func TestNormalizeScore(t *testing.T) {
	pl := &Plugin{features: AllFeatures()}
	cycle := cycleOf(&attempt{preferences: preferences{pending: []pendingRequest{{}}}})
	scores := fwk.NodeScoreList{{Name: "a", Score: 7}, {Name: "b", Score: 8}, {Name: "c"}}
	pl.NormalizeScore(t.Context(), cycle, nil, scores)
	if scores[0].Score != 87 || scores[1].Score != 100 || scores[2].Score != 0 {
		t.Errorf("scores: %v", scores)
	}
	none := fwk.NodeScoreList{{Name: "a"}}
	if pl.NormalizeScore(t.Context(), cycle, nil, none); none[0].Score != 0 {
		t.Errorf("scores: %v", none)
	}
}

func cycleOf(a *attempt) *testCycle {
	return &testCycle{data: map[fwk.StateKey]fwk.StateData{attemptKey: a}}
}

// atDistances returns an attempt with fitting nodes and devices at these distances.
func atDistances(distances map[string]int) *attempt {
	a := &attempt{claims: []*claimAttempt{{}}}
	for name, distance := range distances {
		a.keep(nodeFit{node: &inventory.Node{Name: name}, distance: distance})
	}
	return a
}

func infos(names ...string) (nodes []fwk.NodeInfo) {
	for _, name := range names {
		nodes = append(nodes, testNode{node: node(name)})
	}
	return nodes
}

// One nearer device in 32 attracted a pod as much as all 32.
func TestDistancesAreToScale(t *testing.T) {
	pl := &Plugin{features: AllFeatures()}
	for _, tc := range []struct {
		distances map[string]int
		want      map[string]int64
	}{
		{map[string]int{"a": 64, "b": 62}, map[string]int64{"a": 0, "b": 3}},
		{map[string]int{"a": 2, "b": 1, "c": 0}, map[string]int64{"a": 0, "b": 50, "c": 100}},
	} {
		cycle, nodes := cycleOf(atDistances(tc.distances)), infos(slices.Sorted(maps.Keys(tc.distances))...)
		if status := pl.PreScore(t.Context(), cycle, nil, nodes); !status.IsSuccess() {
			t.Errorf("PreScore: %v", status)
		}
		var scores fwk.NodeScoreList
		for _, n := range nodes {
			score, _ := pl.Score(t.Context(), cycle, nil, n)
			scores = append(scores, fwk.NodeScore{Name: n.Node().Name, Score: score})
		}
		pl.NormalizeScore(t.Context(), cycle, nil, scores)
		got := map[string]int64{}
		for _, s := range scores {
			got[s.Name] = s.Score
		}
		if !maps.Equal(tc.want, got) {
			t.Errorf("distances %v: scores %v, want %v", tc.distances, got, tc.want)
		}
	}
}

// Nodes rejected by later filters were counted, both for the greatest distance and for nodes without
// an allocation.
func TestOnlyNodesThatPassAllFiltersAreCompared(t *testing.T) {
	a := atDistances(map[string]int{"a": 2, "b": 2, "elsewhere full": 8})
	for _, tc := range []struct {
		nodes []fwk.NodeInfo
		want  int
	}{
		{infos("a", "b"), 0},
		{infos("a", "b", "has all"), 2},
		{infos("a", "elsewhere full"), 8},
		{nil, 0},
	} {
		if got := a.farthest(tc.nodes); got != tc.want {
			t.Errorf("%d nodes: %d, want %d", len(tc.nodes), got, tc.want)
		}
	}
}

// attachedFrom marks a device as attached from a fabric.
func attachedFrom(d *resourceapi.Device) {
	d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{inventory.FabricAttribute: {StringValue: new("fabric")}}
}

// Nothing is attached while a node has the device locally: the node with an unattached device is used
// last.
func TestNodeWithALocalDeviceComesFirst(t *testing.T) {
	objects := []runtime.Object{node("a"), node("b"), node("c"), slice("a", 1, fabric("")), slice("b", 1, attachedFrom), slice("c", 1), class("class")}
	for i := range 3 {
		objects = append(objects, asking(fmt.Sprint("claim", i), 1))
	}
	w := newWorld(t, objects...)
	// From the second pod on, answers are cached.
	for i, want := range []string{"c", "b", "a"} {
		claim := fmt.Sprint("claim", i)
		w.find(using("earlier", claim)).wantNode(want)
		r := w.find(using(fmt.Sprint("pod", i), claim))
		r.wantNode(want)
		if want == "a" {
			break // waits for its device
		}
		if message := r.bind(); message != "" {
			t.Fatal(message)
		}
	}
}

// The order of alternatives wins over distance.
func TestAlternativesCountMoreThanDistance(t *testing.T) {
	near, far := model("old"), func(d *resourceapi.Device) { fabric("")(d); model("new")(d) }
	w := newWorld(t, node("a"), node("b"), node("c"), slice("a", 1, near), slice("b", 1, far), slice("c", 1, model("new")),
		class("new", ofModel("new")), class("old", ofModel("old")), asking("claim", 1, alternatives("new", "old")))
	r := w.find(using("pod", "claim"))
	r.wantNode("c")
	scores := fwk.NodeScoreList{}
	for _, n := range w.nodes {
		score, _ := w.plugin.Score(w.ctx, r.cycle, r.pod, testNode{node: n})
		scores = append(scores, fwk.NodeScore{Name: n.Name, Score: score})
	}
	w.plugin.NormalizeScore(w.ctx, r.cycle, r.pod, scores)
	// Distance decides between b and c by a clear margin.
	if scores[0].Score >= scores[1].Score || scores[1].Score > scores[2].Score-5 || scores[2].Score != fwk.MaxScore {
		t.Errorf("scores: %v", scores)
	}
}

// If all nodes are equal, other plugins decide.
func TestPodsForWhichAllNodesAreAsFarAreNotScored(t *testing.T) {
	w := newWorld(t, node("a"), node("b"), slice("a", 1, fabric("")), slice("b", 1, fabric("")), class("class"), asking("claim", 1))
	r := w.find(using("pod", "claim"))
	if status := w.plugin.PreScore(w.ctx, r.cycle, r.pod, []fwk.NodeInfo{testNode{node: w.nodes[0]}, testNode{node: w.nodes[1]}}); !status.IsSkip() {
		t.Errorf("PreScore: %v", status)
	}
}
