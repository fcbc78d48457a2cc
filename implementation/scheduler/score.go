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

// preferences are the requests with alternatives: a node is better the earlier the
// alternatives that it can give (KEP-4816).
type preferences struct {
	// allocated is the score of what is allocated already, the same on all nodes.
	allocated int64
	// pending are the requests that get their alternative on the node.
	pending []pendingRequest
}

// pendingRequest is a request by the indices that allocator.Result uses.
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

// alternativeScore is what the alternative with this index is worth.
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

// PreScore skips pods for which all nodes are alike.
func (pl *Plugin) PreScore(ctx context.Context, cycle fwk.CycleState, _ *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	a, err := attemptOf(cycle)
	if err != nil {
		return failed(klog.FromContext(ctx), err)
	}
	if !pl.features.PrioritizedList || len(a.preferences.pending) == 0 {
		return fwk.NewStatus(fwk.Skip)
	}
	return nil
}

// Score adds up what the alternatives are worth that the node can give.
func (pl *Plugin) Score(ctx context.Context, cycle fwk.CycleState, _ *v1.Pod, nodeInfo fwk.NodeInfo) (int64, *fwk.Status) {
	a, err := attemptOf(cycle)
	if err != nil {
		return 0, failed(klog.FromContext(ctx), err)
	}
	fit, ok := a.fitOn(nodeInfo.Node().Name)
	if !ok {
		return 0, nil
	}
	score := a.preferences.allocated
	for _, p := range a.preferences.pending {
		score += alternativeScore(fit.result.Subrequest(p.claim, p.request))
	}
	return score, nil
}

// ScoreExtensions returns the plugin itself.
func (pl *Plugin) ScoreExtensions() fwk.ScoreExtensions { return pl }

// NormalizeScore stretches the scores so that the best node has the highest one.
func (pl *Plugin) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
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
