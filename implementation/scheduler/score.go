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
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// preferences score requests with alternatives: nodes with earlier alternatives are better (KEP-4816).
// Ties go to nodes with nearer devices: local, attached, to be attached (KEP-5007, "Prioritize Device
// Allocation").
type preferences struct {
	// allocated is the score of existing allocations, equal on all nodes.
	allocated int64
	// pending are the requests still to be allocated.
	pending []pendingRequest
	// farthest is the greatest distance on any node, 0 if all are equal; see PreScore.
	farthest int
}

// pendingRequest is a request by the indices of allocator.Result.
type pendingRequest struct {
	claim, request int
}

func preferencesOf(a *attempt) preferences {
	var p preferences
	for _, c := range a.named() {
		if c.claim.Status.Allocation != nil {
			p.allocated += allocatedScore(c.claim)
		}
	}
	for i, index := range a.pending {
		for j := range a.claims[index].claim.Spec.Devices.Requests {
			if len(a.claims[index].claim.Spec.Devices.Requests[j].FirstAvailable) > 0 {
				p.pending = append(p.pending, pendingRequest{claim: i, request: j})
			}
		}
	}
	return p
}

// alternativeScore is the score of the alternative with this index.
func alternativeScore(index int) int64 {
	return int64(resourceapi.FirstAvailableDeviceRequestMaxSize - index)
}

func allocatedScore(claim *resourceapi.ResourceClaim) int64 {
	chosen := sets.New[string]()
	for i := range claim.Status.Allocation.Devices.Results {
		chosen.Insert(claim.Status.Allocation.Devices.Results[i].Request)
	}
	var score int64
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		for j := range request.FirstAvailable {
			if chosen.Has(resourceclaim.CreateSubRequestRef(request.Name, request.FirstAvailable[j].Name)) {
				score += alternativeScore(j)
			}
		}
	}
	return score
}

// PreScore skips pods if all nodes are equal.
func (pl *Plugin) PreScore(ctx context.Context, cycle fwk.CycleState, _ *v1.Pod, nodes []fwk.NodeInfo) *fwk.Status {
	a, err := attemptOf(cycle)
	if err != nil {
		return failed(klog.FromContext(ctx), err)
	}
	if a.empty() {
		return fwk.NewStatus(fwk.Skip)
	}
	a.preferences.farthest = a.farthest(nodes)
	if a.preferences.farthest == 0 && !pl.scoresAlternatives(a) {
		return fwk.NewStatus(fwk.Skip)
	}
	return nil
}

// farthest returns the greatest distance on these nodes, 0 if all are equal. A node with nothing to
// allocate has distance 0.
func (a *attempt) farthest(nodes []fwk.NodeInfo) int {
	least, most := 0, 0
	for i, node := range nodes {
		fit, _ := a.fitOn(node.Node().Name)
		if i == 0 {
			least = fit.distance
		}
		least, most = min(least, fit.distance), max(most, fit.distance)
	}
	if least == most {
		return 0
	}
	return most
}

// alternativeWeight makes one alternative worth twice the maximum score for distance, fwk.MaxScore, so
// the difference survives rounding.
const alternativeWeight = 2 * fwk.MaxScore

// nearness is a node's saving compared with the worst node's distance, in percent: one nearer device
// in 32 has little effect, all 32 have the maximum.
func (p *preferences) nearness(distance int) int64 {
	if p.farthest == 0 {
		return 0
	}
	return fwk.MaxScore * int64(p.farthest-distance) / int64(p.farthest)
}

// Score adds up the node's alternatives and the nearness of its devices.
func (pl *Plugin) Score(ctx context.Context, cycle fwk.CycleState, _ *v1.Pod, nodeInfo fwk.NodeInfo) (int64, *fwk.Status) {
	a, err := attemptOf(cycle)
	if err != nil {
		return 0, failed(klog.FromContext(ctx), err)
	}
	fit, ok := a.fitOn(nodeInfo.Node().Name)
	nearness := a.preferences.nearness(fit.distance)
	if !ok || !pl.scoresAlternatives(a) {
		return nearness, nil
	}
	score := a.preferences.allocated
	for _, p := range a.preferences.pending {
		score += alternativeScore(fit.result.Subrequest(p.claim, p.request))
	}
	if a.preferences.farthest == 0 {
		return score, nil
	}
	return score*alternativeWeight + nearness, nil
}

func (pl *Plugin) scoresAlternatives(a *attempt) bool {
	return pl.features.PrioritizedList && len(a.preferences.pending) > 0
}

// ScoreExtensions returns the plugin itself.
func (pl *Plugin) ScoreExtensions() fwk.ScoreExtensions { return pl }

// NormalizeScore scales the scores of alternatives to give the best node the maximum. Scores for
// distance alone are already percentages and stay unchanged.
func (pl *Plugin) NormalizeScore(ctx context.Context, cycle fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	a, err := attemptOf(cycle)
	if err != nil {
		return failed(klog.FromContext(ctx), err)
	}
	if !pl.scoresAlternatives(a) {
		return nil
	}
	var best int64
	for _, s := range scores {
		best = max(best, s.Score)
	}
	if best == 0 {
		return nil
	}
	for i := range scores {
		scores[i].Score = fwk.MaxScore * scores[i].Score / best
	}
	return nil
}
