package scheduler

import (
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// ofDriver makes a class select a model.
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
	// Allocated alternatives count like those that are about to be.
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

func TestNormalizeScore(t *testing.T) {
	pl := &Plugin{}
	scores := fwk.NodeScoreList{{Name: "a", Score: 7}, {Name: "b", Score: 8}, {Name: "c"}}
	pl.NormalizeScore(t.Context(), nil, nil, scores)
	if scores[0].Score != 87 || scores[1].Score != 100 || scores[2].Score != 0 {
		t.Errorf("scores: %v", scores)
	}
	none := fwk.NodeScoreList{{Name: "a"}}
	if pl.NormalizeScore(t.Context(), nil, nil, none); none[0].Score != 0 {
		t.Errorf("scores: %v", none)
	}
}
