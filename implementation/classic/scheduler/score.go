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
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// perPod is the score penalty of a node for each pod waiting for drivers there.
const perPod = 10

// Score prefers nodes where drivers do not allocate for other pods. Such a pod is not bound yet, so
// other plugins would prefer the same node for all following pods, until its devices are gone and
// drivers reject the remaining pods.
func (pl *Plugin) Score(_ context.Context, cycle fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	a := attemptOf(cycle)
	if a == nil {
		return 0, nil
	}
	return max(fwk.MinScore, fwk.MaxScore-perPod*a.selected[node.Node().Name]), nil
}

// ScoreExtensions returns nil: scores are normalized already.
func (pl *Plugin) ScoreExtensions() fwk.ScoreExtensions { return nil }

// selected counts other pods waiting for drivers by selected node. Selections of an earlier
// scheduler do not count: this is only a preference.
func (c *cluster) selected(except types.UID) map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	pods := make(map[string]int64)
	for pod, talk := range c.talks {
		if pod != except && talk.selected != "" {
			pods[talk.selected]++
		}
	}
	return pods
}
