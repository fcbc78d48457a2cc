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
	"errors"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/allocator"
)

// errFilterTimeout means Filter took too long on a node.
var errFilterTimeout = errors.New("timed out trying to allocate devices")

// Filter checks whether the allocated claims of a pod are usable on a node and the others can be
// allocated there. It changes nothing.
func (pl *Plugin) Filter(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, nodeInfo fwk.NodeInfo) *fwk.Status {
	logger := klog.FromContext(ctx)
	a, err := attemptOf(cycle)
	if err != nil {
		return failed(logger, err)
	}
	if a.empty() {
		return nil
	}
	node := nodeInfo.Node()
	asked, variant, status := pl.demandOn(logger, a, nodeInfo)
	if status != nil {
		return status
	}
	unavailable := a.unavailableOn(node)
	var fit nodeFit
	if asked != nil {
		if fit, status = pl.allocate(ctx, a, asked, node); status != nil {
			return status
		}
		fit.variant = variant
	}
	if len(unavailable) > 0 {
		a.markUnavailable(unavailable)
		return unschedulable(logger, "resourceclaim not available on the node", "pod", klog.KObj(pod), "node", klog.KObj(node))
	}
	if asked != nil {
		a.keep(fit)
	}
	return nil
}

// demandOn returns the demand on a node: the pending claims and the extended resources not served by
// the node's device plugins.
func (pl *Plugin) demandOn(logger klog.Logger, a *attempt, nodeInfo fwk.NodeInfo) (*demand, *variant, *fwk.Status) {
	if a.extended == nil {
		return a.demand, nil, nil
	}
	set, missing := a.extended.delegated(nodeInfo.GetAllocatable().GetScalarResources())
	if missing != "" {
		return nil, nil, unschedulable(logger, "cannot fit resource", "node", klog.KObj(nodeInfo.Node()), "resource", missing)
	}
	if !set.any() {
		return a.demand, nil, nil
	}
	v := a.extended.variantFor(set, func(v *variant) (*demand, error) { return pl.newDemand(a.pendingClaims(v.claim)) })
	if v.err != nil {
		return nil, nil, unschedulable(logger, v.err.Error(), "node", klog.KObj(nodeInfo.Node()))
	}
	return v.demand, v, nil
}

// unavailableOn returns the indices of allocated claims unusable on the node.
func (a *attempt) unavailableOn(node *v1.Node) []int {
	var indices []int
	for i, c := range a.claims {
		if c.failed || c.nodes != nil && !c.nodes.Match(node) {
			indices = append(indices, i)
		}
	}
	return indices
}

// allocate returns the cached answer or asks the allocator, and converts the result to a status.
func (pl *Plugin) allocate(ctx context.Context, a *attempt, d *demand, node *v1.Node) (nodeFit, *fwk.Status) {
	logger := klog.FromContext(ctx)
	reachable, err := a.inventory.Node(node)
	if err != nil {
		return nodeFit{}, unschedulable(logger, err.Error(), "node", klog.KObj(node))
	}
	if distance, reason, known := d.known(reachable, a.used); known && reason == nil {
		return nodeFit{node: reachable, distance: distance}, nil
	} else if known {
		return nodeFit{}, a.doesNotFit(logger, reason, node)
	}
	limited := ctx
	if pl.features.SchedulerFilterTimeout && pl.args.FilterTimeout.Duration > 0 {
		limited = &watched{Context: ctx, timeout: pl.args.FilterTimeout.Duration}
	}
	result, err := allocator.Allocate(limited, allocator.Problem{Demand: d.Demand, Node: reachable, Used: a.used})
	if err == nil {
		d.learn(reachable, a.used, result)
	}
	switch {
	case err == nil && result.Fits():
		return nodeFit{node: reachable, result: &result, distance: result.Distance()}, nil
	case err == nil:
		return nodeFit{}, a.doesNotFit(logger, result.Reason(), node)
	case errors.Is(err, allocator.ErrThisNode):
		// Shown only if no other node fits.
		return nodeFit{}, unschedulable(logger, err.Error(), "node", klog.KObj(node))
	case ctx.Err() != nil:
		return nodeFit{}, unschedulable(logger, fmt.Sprintf("asked by caller to stop allocating devices: %v", context.Cause(ctx)), "node", klog.KObj(node))
	case limited.Err() != nil:
		return nodeFit{}, pl.timedOut(logger, node)
	default:
		// A claim or class is invalid, with the same result on the next node.
		return nodeFit{}, failed(logger, err, "node", klog.KObj(node))
	}
}

func (a *attempt) doesNotFit(logger klog.Logger, reason *allocator.Reason, node *v1.Node) *fwk.Status {
	return unschedulable(logger, a.explain(reason.Summary()), "node", klog.KObj(node), "details", reason)
}

// watched is a context with a timeout for callers polling Err in one goroutine, like the allocator.
// The clock starts at the second poll: nearly all nodes finish within a microsecond before that, and
// even reading the clock is too expensive for them.
type watched struct {
	context.Context
	timeout time.Duration
	asked   bool
	start   time.Time
}

// Err returns errFilterTimeout after the timeout.
func (w *watched) Err() error {
	if err := w.Context.Err(); err != nil {
		return err
	}
	switch {
	case !w.asked:
		w.asked = true
	case w.start.IsZero():
		w.start = time.Now()
	case time.Since(w.start) > w.timeout:
		return errFilterTimeout
	}
	return nil
}

func (pl *Plugin) timedOut(logger klog.Logger, node *v1.Node) *fwk.Status {
	if pl.args.FilterTimeoutPolicy == AbortAttempt {
		return failed(logger, fmt.Errorf("node %s: %w", node.Name, errFilterTimeout))
	}
	return unschedulable(logger, errFilterTimeout.Error(), "node", klog.KObj(node))
}
