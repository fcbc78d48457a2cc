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
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
	"github.com/dra-conformance/dratest/implementation/scheduler"
)

// PreFilter finds the classic claims of a pod and limits the attempt to the nodes being negotiated.
func (pl *Plugin) PreFilter(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	logger := klog.FromContext(ctx)
	since := pl.cluster.changed()
	claims := pl.cluster.claimsOf(pod)
	if len(claims) == 0 {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	uids := sets.New[types.UID]()
	for _, c := range claims {
		uids.Insert(c.claim.UID)
	}
	if err := scheduler.LeaveOut(cycle, uids); err != nil {
		return nil, fwk.AsStatus(err)
	}
	a := &attempt{claims: claims, since: since}
	cycle.Write(attemptKey, a)
	if !pl.cluster.ready() {
		// Its end wakes the pod.
		a.rejected = true
		return nil, unschedulable(logger, "the objects of classic DRA have not been read yet, or their definitions are not installed", pod)
	}
	if why := pl.cluster.turnedAway(pod); why != "" {
		a.rejected = true
		return nil, unschedulable(logger, why, pod)
	}
	pl.cluster.remember(pod, func(t *talk) { t.selected = "" })
	for _, c := range claims {
		if why, blocked := c.unusable(pod); why != "" {
			a.rejected, a.blocked = true, blocked
			return nil, unschedulable(logger, why, pod)
		}
		place, err := placeOf(c)
		if err != nil {
			a.rejected = true
			return nil, fwk.AsStatus(err)
		}
		a.places = append(a.places, place)
	}
	pl.cluster.begin(pod)
	a.negotiation = classicplan.Negotiation{
		Scheduling: pl.cluster.scheduling(pod), Pending: pendingNames(claims), Rejected: pl.cluster.rejected(pod.UID),
	}
	before := pl.cluster.stuck(pod.UID)
	for i, c := range claims {
		if a.places[i].Allocated && before.Has(c.claim.UID) {
			a.markStuck([]int{i})
		}
	}
	a.focus, a.excluded = a.negotiation.Focus(), a.negotiation.Excluded()
	logger.V(5).Info("Classic claims of the pod", "pod", klog.KObj(pod), "claims", len(claims), "pending", a.negotiation.Pending, "focus", sets.List(a.focus))
	if a.focus == nil {
		return nil, nil
	}
	return &fwk.PreFilterResult{NodeNames: a.focus.Clone()}, nil
}

// PreFilterExtensions returns nil: removing a pod from a node frees no claims.
func (pl *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

func placeOf(c *podClaim) (classicplan.Place, error) {
	place := classicplan.Place{Allocated: c.claim.Status.Allocation != nil, Class: c.request.ResourceClass}
	var selector *v1.NodeSelector
	if place.Allocated {
		selector = c.claim.Status.Allocation.NodeSelector
	} else {
		selector = c.class.SuitableNodes
	}
	if selector == nil {
		return place, nil
	}
	var err error
	if place.Nodes, err = nodeaffinity.NewNodeSelector(selector); err != nil {
		return place, fmt.Errorf("parse node selector of claim %s or its class: %w", klog.KObj(c.claim), err)
	}
	return place, nil
}

// unschedulable rejects a pod, or a node for it. Evicting pods does not help.
func unschedulable(logger klog.Logger, reason string, pod *v1.Pod) *fwk.Status {
	logger.V(5).Info("Pod is unschedulable", "pod", klog.KObj(pod), "reason", reason)
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reason)
}
