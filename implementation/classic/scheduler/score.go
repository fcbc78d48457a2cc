package scheduler

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// perPod is by how much each pod that waits for drivers on a node lowers its score.
const perPod = 10

// Score prefers nodes that drivers allocate for no other pod. Such a pod is on no node yet,
// so that for other plugins the node that was best for it is the best for all that come
// after it, until its devices are gone and drivers refuse the rest of the pods.
func (pl *Plugin) Score(_ context.Context, cycle fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	a := attemptOf(cycle)
	if a == nil {
		return 0, nil
	}
	return max(fwk.MinScore, fwk.MaxScore-perPod*a.selected[node.Node().Name]), nil
}

// ScoreExtensions returns nil: scores are as they have to be.
func (pl *Plugin) ScoreExtensions() fwk.ScoreExtensions { return nil }

// selected is for how many pods that wait for drivers each node is selected, beside this one.
// What a scheduler before this one has selected is not counted: it is only a preference.
func (c *cluster) selected(beside types.UID) map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	pods := make(map[string]int64)
	for pod, talk := range c.talks {
		if pod != beside && talk.selected != "" {
			pods[talk.selected]++
		}
	}
	return pods
}
